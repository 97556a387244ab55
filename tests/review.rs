//! `tabiya review`: from rated games to accuracy by rating.

use crate::program;

use std::{fs, path::Path};

use serde_json::Value;

/// Rated games of two moves: the higher rated side's queen stays at home, the lower rated side's is given away.
fn games(count: usize, ratings: [u16; 2]) -> String {
    let [white, black] = ratings;
    let game = format!(
        "[Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n[Result \"*\"]\n\n\
         1. e4 e5 2. Nf3 Qg5 3. Nxg5 a6 *\n\n"
    );
    game.repeat(count)
}

fn review(folder: &Path, words: &[&str]) -> (bool, String) {
    let review = [&["review"], words, &["--net", "material", "--nodes", "100"]].concat();
    let output = program::tabiya(folder, &review);
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn who_gives_a_queen_away_is_less_accurate_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let unrated = "[Event \"?\"]\n[White \"A\"]\n[Result \"*\"]\n\n1. e4 *\n";
    fs::write(folder.path().join("games.pgn"), games(2, [2050, 850]) + unrated).unwrap();
    let (ended, text) = review(folder.path(), &["games.pgn", "--json"]);
    assert!(ended, "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((report["games"].as_u64(), report["skipped"].as_u64()), (Some(2), Some(1)));
    let bands = report["bands"].as_array().unwrap();
    let of = |from: u64| bands.iter().find(|band| band["from"].as_u64() == Some(from)).unwrap();
    let accuracy = |band: &Value| band["accuracy"][1].as_f64().unwrap();
    assert!(accuracy(of(2000)) > accuracy(of(800)), "{report}");
    assert!(of(800)["marked"][2].as_f64().unwrap() > 0.0, "a queen given away is a blunder: {report}");
    assert_eq!(report["scale"]["fitted"], false);
}

#[test]
fn marks_are_compared_with_the_losses_that_a_judge_finds() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("games")).unwrap();
    for name in ["one.pgn", "two.pgn"] {
        fs::write(folder.path().join("games").join(name), games(1, [2050, 850])).unwrap();
    }
    let judged = ["games", "--judge", "net=material,nodes=200", "--threads", "2"];
    let (ended, text) = review(folder.path(), &[&judged[..], &["--json"]].concat());
    assert!(ended, "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((report["games"].as_u64(), report["unjudged"].as_u64()), (Some(2), Some(0)));
    let recall = &report["marks"]["recall"];
    assert_eq!((recall["value"].as_f64(), recall["samples"].as_u64()), (Some(1.0), Some(2)), "{report}");
    assert_eq!(report["marks"]["counts"][3][2], 2, "both queens are given away and marked: {report}");
    let (ended, text) = review(folder.path(), &judged);
    assert!(ended && text.contains("serious faults marked ? or ??   100.0 %"), "{text}");
}

#[test]
fn a_scale_needs_club_players_and_games_need_ratings() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("few.pgn"), games(4, [1500, 1500])).unwrap();
    let (ended, text) = review(folder.path(), &["few.pgn", "--fit"]);
    assert!(
        !ended && text.contains("found 4 sides of games rated 1400 to 1799, expected at least 20"),
        "{text}"
    );
    fs::write(folder.path().join("unrated.pgn"), "[White \"A\"]\n\n1. e4 *\n").unwrap();
    let (ended, text) = review(folder.path(), &["unrated.pgn"]);
    assert!(!ended && text.contains("found no game with moves and two ratings"), "{text}");
}

#[test]
fn kept_reviews_are_taken_instead_of_searches_and_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("games.pgn"), games(1, [2050, 850])).unwrap();
    let keep = ["games.pgn", "--json", "--keep", "kept.jsonl"];
    let bands = |text: &str| serde_json::from_str::<Value>(text).unwrap()["bands"].clone();
    let (ended, first) = review(folder.path(), &keep);
    assert!(ended, "{first}");
    let kept = fs::read_to_string(at("kept.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 2, "{kept}");
    // A command that reads the file instead of searching finds what was written there since.
    let mut line: Value = serde_json::from_str(kept.lines().nth(1).unwrap()).unwrap();
    line["review"]["losses"][0] = 99.0.into();
    fs::write(at("kept.jsonl"), format!("{}\n{line}\n", kept.lines().next().unwrap())).unwrap();
    let (ended, again) = review(folder.path(), &keep);
    assert!(ended && bands(&again) != bands(&first), "{again}");
    let (ended, text) = review(folder.path(), &[&keep[..], &["--option", "CPuct=3"]].concat());
    assert!(!ended && text.contains("CPuct=3, with 100 visits a position"), "{text}");
    fs::write(at("kept.jsonl"), format!("{}\nnonsense\n", kept.lines().next().unwrap())).unwrap();
    let (ended, text) = review(folder.path(), &keep);
    assert!(!ended && text.contains("kept.jsonl, line 2: expected the review of a game"), "{text}");
    fs::write(at("kept.jsonl"), kept.replacen("100", "101", 1)).unwrap();
    let (ended, text) = review(folder.path(), &keep);
    assert!(!ended && text.contains("with 101 visits a position, expected"), "{text}");
}

/// What the search remembered of one game changed the next: results depended on their order, and on kills with --keep.
#[test]
fn a_review_does_not_depend_on_the_games_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let tags = |white: u16| format!("[WhiteElo \"{white}\"]\n[BlackElo \"1500\"]\n[Result \"*\"]\n\n");
    let moves =
        ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 b5", "1. Nf3 Nc6 2. e4 e5 3. Bb5 Nf6", "1. e4 e5 2. Nf3 d6"];
    let games: Vec<String> =
        (0..3).map(|number| format!("{}{} *\n\n", tags(1500 + number as u16), moves[number])).collect();
    let lines = |name: &str, order: [usize; 3]| {
        let text: String = order.iter().map(|&number| games[number].as_str()).collect();
        fs::write(folder.path().join(name), text).unwrap();
        let kept = format!("{name}.jsonl");
        let (ended, text) = review(folder.path(), &[name, "--keep", &kept]);
        assert!(ended, "{text}");
        let kept = fs::read_to_string(folder.path().join(kept)).unwrap();
        let mut lines: Vec<String> = kept.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines("forward.pgn", [0, 1, 2]), lines("backward.pgn", [2, 1, 0]));
}

#[test]
fn a_review_does_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let tags = "[WhiteElo \"1600\"]\n[BlackElo \"1500\"]\n[Result \"*\"]\n\n";
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 \
                 10. d4 Nbd7 11. Qd3 Qe8 12. Qxb5 axb5 *\n";
    fs::write(folder.path().join("games.pgn"), format!("{tags}{moves}")).unwrap();
    let [one, two, five] = ["1", "2", "5"].map(|threads| {
        let kept = format!("{threads}.jsonl");
        let (ended, text) = review(folder.path(), &["games.pgn", "--threads", threads, "--keep", &kept]);
        assert!(ended, "{text}");
        fs::read_to_string(folder.path().join(kept)).unwrap()
    });
    assert_eq!(one.lines().count(), 2, "{one}");
    assert_eq!([&two, &five], [&one, &one]);
}

/// Two processes wrote nearly every game twice.
#[test]
fn one_process_keeps_reviews_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), games(1, [2050, 850])).unwrap();
    let lock = files::FolderLock::take(&folder.path().join("kept.jsonl")).unwrap();
    let keep = ["games.pgn", "--keep", "kept.jsonl"];
    let (ended, text) = review(folder.path(), &keep);
    assert!(!ended && text.contains("is being written by another process"), "{text}");
    drop(lock);
    let (ended, text) = review(folder.path(), &keep);
    assert!(ended, "{text}");
}

#[test]
fn speeds_choose_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let blitz = games(1, [2050, 850]).replacen("[Result", "[TimeControl \"180+2\"]\n[Result", 1);
    fs::write(folder.path().join("games.pgn"), blitz + &games(2, [1500, 1500])).unwrap();
    let (ended, text) = review(folder.path(), &["games.pgn", "--json", "--speed", "blitz,rapid"]);
    assert!(ended, "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((report["games"].as_u64(), report["skipped"].as_u64()), (Some(1), Some(2)));
    let (ended, text) = review(folder.path(), &["games.pgn", "--speed", "bullet"]);
    assert!(
        !ended && text.contains("found no game with moves and two ratings at one of the requested speeds"),
        "{text}"
    );
}
