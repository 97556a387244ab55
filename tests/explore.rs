//! `tabiya explore`: the games behind the counts of a kept table.

use crate::program::{json, refused, success};

const GAMES: &str = r#"[White "Fischer"]
[Black "Spassky"]
[Date "1972.07.11"]
[WhiteElo "2785"]
[BlackElo "2660"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 1-0

[White "Anna"]
[Black "Bert"]
[Date "2014.01.01"]
[WhiteElo "2000"]
[BlackElo "2100"]
[Result "0-1"]

1. Nf3 e5 2. e4 d6 0-1
"#;

#[test]
fn a_kept_table_lists_and_filters_its_games_without_their_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), GAMES).unwrap();
    success(folder.path(), "explore g.pgn --table g.openings");
    std::fs::remove_file(folder.path().join("g.pgn")).unwrap();
    let there = ["explore", "g.openings", "--moves", "e4 e5 Nf3", "--games", "5", "--json"];
    let view = json(folder.path(), &there);
    let listed = &view["games"]["listed"];
    assert_eq!((&view["games"]["total"], &listed[0]["white"]), (&2.into(), &"Fischer".into()));
    assert_eq!((&listed[1]["ply"], &listed[1]["moves"][0]), (&3.into(), &"g1f3".into()));
    let later = [&there[..], &["--years", "2000.."]].concat();
    let view = json(folder.path(), &later);
    assert_eq!((&view["games"]["total"], &view["played"][0]["san"]), (&1.into(), &"d6".into()));
    let shown = success(folder.path(), "explore g.openings --games 5 --rating 2500..2800");
    assert!(shown.contains("Fischer (2785) - Spassky (2660)") && !shown.contains("Anna"), "{shown}");
}

#[test]
fn a_table_of_counts_says_that_it_has_no_games() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), GAMES).unwrap();
    success(folder.path(), "explore g.pgn --table g.openings --counts-only");
    refused(folder.path(), "explore g.openings --games 5", 1, "cannot be listed or filtered");
    success(folder.path(), "explore g.openings");
}
