//! Tables of games, stores and books, compared with the games played.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use census::openings::{
    ExplorerError, MakeOptions, MoveTally, Shelf, Stamp, Table, TableInfo, TableInput, TableState, is_table,
    make_table,
};
use chess::{CastlingMode, Game, StopSignal, laws, polyglot::polyglot_key, print_san};
use dataset::{
    BuildConfig, NoObserver,
    record::{Record, Winner},
};

const GAMES: &str = r#"[Date "1972.07.11"]
[WhiteElo "2660"]
[BlackElo "2785"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 1-0

[Date "2014.??.??"]
[WhiteElo "2000"]
[BlackElo "?"]
[Result "0-1"]

1. e4 c5 2. Nf3 d6 0-1

[UTCDate "1999.01.31"]
[Result "1/2-1/2"]

1. Nf3 e5 2. e4 Nc6 1/2-1/2

[Date "????.??.??"]

1. d4 *

1. e4 e5 2. Ke3 1-0
"#;

fn made(
    name: &str,
    text: impl AsRef<[u8]>,
) -> (tempfile::TempDir, Result<TableInfo, ExplorerError>, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join(name), folder.path().join("out.openings"));
    fs::write(&source, text).unwrap();
    let input = [TableInput::of(&source)];
    let info = make_table(&input, &out, &MakeOptions::named(name), &StopSignal::default(), &mut |_| ());
    (folder, info, out)
}

/// The moves in the position after `moves`: SAN, White's wins, draws, Black's wins, unknown.
fn counts(table: &Path, moves: &str) -> Vec<(String, [u32; 4])> {
    let mut game = Game::default();
    moves.split_whitespace().for_each(|san| _ = game.play_san(san).unwrap());
    let found = Table::open(table).unwrap().moves(game.position()).unwrap().into_iter();
    found
        .map(|each| {
            let tally = each.tally;
            (
                print_san(game.position(), each.chess_move),
                [tally.white, tally.draws, tally.black, tally.unknown],
            )
        })
        .collect()
}

#[test]
fn moves_are_counted_with_results_ratings_and_years_whatever_their_order() {
    let (_folder, info, table) = made("three.pgn", GAMES);
    let info = info.unwrap();
    assert_eq!((info.counts.games, info.counts.without_result, info.counts.broken), (3, 1, 1));
    assert!(is_table(&table));
    let start = counts(&table, "");
    assert_eq!(start[0], ("e4".into(), [1, 0, 1, 0]));
    assert!(start.contains(&("d4".into(), [0, 0, 0, 1])), "{start:?}");
    // 1. e4 e5 2. Nf3 and 1. Nf3 e5 2. e4 are one position.
    assert_eq!(counts(&table, "Nf3 e5 e4"), [("Nc6".into(), [1, 1, 0, 0])]);
    let moves = Table::open(&table).unwrap().moves(Game::default().position()).unwrap();
    assert_eq!((moves[0].tally.rating(), moves[0].tally.years()), (Some(2330), Some((1972, 2014))));
    assert!(counts(&table, "a3").is_empty());
}

#[test]
fn a_position_that_comes_again_counts_once_a_game() {
    let (_folder, _, table) = made("again.pgn", "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 1-0\n");
    assert_eq!(counts(&table, ""), [("Nf3".into(), [1, 0, 0, 0])]);
}

#[test]
fn a_store_of_games_gives_the_table_of_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let (games, store) = (folder.path().join("three.pgn"), folder.path().join("three.store"));
    fs::write(&games, GAMES).unwrap();
    dataset::build(&BuildConfig::new(&store, [&games]), &mut NoObserver).unwrap();
    let (of_games, of_store) = (folder.path().join("a.openings"), folder.path().join("b.openings"));
    for (input, out) in [(&games, &of_games), (&store, &of_store)] {
        make_table(
            &[TableInput::of(input)],
            out,
            &MakeOptions::named("x"),
            &StopSignal::default(),
            &mut |_| (),
        )
        .unwrap();
    }
    for moves in ["", "e4", "e4 e5", "Nf3 e5 e4"] {
        let sorted = |table| {
            let mut rows = counts(table, moves);
            rows.sort();
            rows
        };
        assert_eq!(sorted(&of_games), sorted(&of_store), "{moves:?}");
    }
}

#[test]
fn a_book_gives_its_weights() {
    let mut entries = Vec::new();
    let start = Game::default();
    for (san, weight) in [("e4", 30), ("d4", 40)] {
        let chess_move = chess::parse_san(start.position(), san).unwrap();
        entries.push(chess::polyglot::BookEntry::new(start.position(), chess_move, weight));
    }
    let (_folder, info, table) = made("small.bin", chess::PolyglotBook::new(entries).to_bytes());
    assert!(info.unwrap().weights);
    assert_eq!(counts(&table, ""), [("d4".into(), [0, 0, 0, 40]), ("e4".into(), [0, 0, 0, 30])]);
}

#[test]
fn what_has_no_games_is_refused_and_leaves_nothing() {
    for (name, text) in
        [("bad.bin", "12345"), ("none.pgn", "1. e4 e5 2. Ke3 1-0\n"), ("text.pgn", "lorem ipsum")]
    {
        let (folder, info, _) = made(name, text);
        let told = info.unwrap_err().to_string();
        assert!(told.contains(name), "{told}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: only the source is there");
    }
    let (_folder, info, _) = made("positions.epd", "4k3/8/8/8/8/8/8/4K2R w K - bm O-O;\n");
    assert!(info.unwrap_err().to_string().contains("not part of a game"));
}

/// Leftovers had a name that nothing recognised, and stayed forever.
#[test]
fn what_a_kill_left_is_removed_by_the_next_table() {
    let folder = tempfile::tempdir().unwrap();
    let [games, table, left] =
        ["games.pgn", "table.openings", ".tabiya-a1b2c3.partial"].map(|name| folder.path().join(name));
    fs::write(&games, GAMES).unwrap();
    fs::write(&left, "half a table").unwrap();
    let inputs = [TableInput::of(&games)];
    make_table(&inputs, &table, &MakeOptions::named("mine"), &StopSignal::default(), &mut |_| ()).unwrap();
    assert_eq!(files::entries(folder.path()).unwrap(), [games.clone(), table.clone()]);
    let rights = |path| fs::metadata(path).unwrap().permissions();
    assert_eq!(rights(&table), rights(&games), "as readable as any other file");
}

#[test]
fn a_damaged_table_is_refused() {
    let (_folder, _, table) = made("three.pgn", GAMES);
    let whole = fs::read(&table).unwrap();
    for bytes in
        [&whole[..whole.len() - 1], &whole[..20], b"", &whole[1..], &[&whole[..16], &whole[58..]].concat()]
    {
        fs::write(&table, bytes).unwrap();
        assert!(matches!(Table::open(&table), Err(ExplorerError::Format { .. })), "{} bytes", bytes.len());
    }
}

/// Waits until no table is in the making.
fn wait(shelf: &Shelf) {
    let end = Instant::now() + Duration::from_mins(1);
    while shelf.tables().unwrap().iter().any(|table| matches!(table.state, TableState::Making(_))) {
        assert!(Instant::now() < end, "tables are still being made: {:?}", shelf.tables());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_shelf_makes_tables_in_the_background_and_finds_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let (tables, data, games) =
        (folder.path().join("tables"), folder.path().join("data"), folder.path().join("games"));
    fs::create_dir_all(data.join("old/.hidden")).unwrap();
    fs::create_dir(&games).unwrap();
    fs::write(data.join("old/three.pgn"), GAMES).unwrap();
    fs::write(data.join("old/.hidden/more.pgn"), GAMES).unwrap();
    fs::write(data.join("notes.txt"), "1. e4 e5 1-0\n").unwrap();
    fs::write(data.join("bad.pgn"), "lorem ipsum").unwrap();
    fs::write(games.join("1.pgn"), "1. e4 e5 1-0\n").unwrap();
    fs::write(games.join("1.json"), "{}").unwrap();
    let shelf = Shelf::new(tables.clone(), vec![data.clone()]).gathering("Played here", games);
    let names: Vec<String> = shelf.sources().unwrap().into_iter().map(|source| source.name).collect();
    assert_eq!(names, ["Played here", "bad.pgn", "old/three.pgn"]);
    for name in &names {
        shelf.make(name).unwrap();
    }
    let sent = files::aside(&tables).unwrap();
    fs::write(sent.path(), "1. d4 d5 1/2-1/2\n").unwrap();
    let path = sent.path().to_owned();
    let id = shelf.make_of_file("../sent.pgn", sent).unwrap();
    files::remove_partial(&tables).unwrap();
    assert_eq!(id, "sent.pgn", "no name leads out of the folder");
    wait(&shelf);
    assert!(!path.exists());
    let states: HashMap<String, TableState> =
        shelf.tables().unwrap().into_iter().map(|table| (table.id, table.state)).collect();
    assert!(
        matches!(&states["bad.pgn"], TableState::Failed(reason) if reason.contains("lorem")),
        "{states:?}"
    );
    let again = Shelf::new(tables.clone(), vec![data.clone()]);
    let found: Vec<(String, bool)> =
        again.tables().unwrap().into_iter().map(|table| (table.id, table.stale)).collect();
    assert_eq!(
        found,
        [("Played-here".into(), false), ("old-three.pgn".into(), false), ("sent.pgn".into(), false)]
    );
    let start =
        Game::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 9 40", CastlingMode::Standard);
    let mut table = again.table("old-three.pgn").unwrap();
    let moves = table.moves(start.unwrap().position()).unwrap();
    assert_eq!((table.info().name.as_str(), moves.len()), ("old/three.pgn", 3), "counters play no part");
    fs::write(data.join("old/three.pgn"), "1. e4 e5 1-0\n").unwrap();
    assert!(again.tables().unwrap()[1].stale);
    again.delete("sent.pgn").unwrap();
    for id in ["sent.pgn", "../data/old/three", "", "."] {
        assert!(matches!(again.delete(id), Err(ExplorerError::Unknown { .. })), "{id:?}");
    }
    let left: Vec<_> = fs::read_dir(&tables).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

/// Two names that differ only in letters that no file name has had one file: the later table replaced the earlier one.
#[test]
fn every_name_has_a_table_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (tables, data) = (folder.path().join("tables"), folder.path().join("data"));
    fs::create_dir_all(data.join("old")).unwrap();
    fs::write(data.join("old/three.pgn"), GAMES).unwrap();
    fs::write(data.join("old-three.pgn"), "1. e4 e5 1-0\n").unwrap();
    let shelf = Shelf::new(tables.clone(), vec![data]);
    for (name, expected) in [
        ("old/three.pgn", "old-three.pgn"),
        ("old-three.pgn", "old-three.pgn-2"),
        ("old/three.pgn", "old-three.pgn"),
        ("old-three.pgn", "old-three.pgn-2"),
    ] {
        assert_eq!(shelf.make(name).unwrap(), expected, "{name}");
        wait(&shelf);
    }
    // A name of 300 bytes is too long for a file; one without a letter was a hidden file.
    for name in ["\u{68cb}".repeat(100), "+++".into()] {
        let sent = files::aside(&tables).unwrap();
        fs::write(sent.path(), "1. d4 d5 1/2-1/2\n").unwrap();
        shelf.make_of_file(&name, sent).unwrap();
        wait(&shelf);
        let found = shelf.tables().unwrap().into_iter().find(|table| table.name == name).unwrap();
        assert!(matches!(found.state, TableState::Ready(_)), "{found:?}");
    }
    assert_eq!(shelf.tables().unwrap().len(), 4);
}

/// An unreadable disk looked like one without games.
#[test]
fn a_folder_that_cannot_be_listed_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let there = folder.path().join("none");
    let places = Shelf::new(there.clone(), vec![file.clone()]);
    let games = Shelf::new(there.clone(), Vec::new()).gathering("Played here", file.clone());
    for sources in [places.sources(), games.sources()] {
        let error = sources.unwrap_err().to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
    }
    assert!(matches!(places.make("games.pgn"), Err(ExplorerError::Output(_))));
    let tables = Shelf::new(file, Vec::new());
    assert!(tables.tables().is_err() && matches!(tables.delete("a"), Err(ExplorerError::Output(_))));
    assert_eq!(Shelf::new(there, Vec::new()).tables().unwrap(), []);
}

/// Checks a new table of games against the slow way: every game replayed, every position in a map. Returns the number of games.
fn agrees_with_games_replayed(games: &Path, plies: u16) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("found.openings");
    let options = MakeOptions { plies, ..MakeOptions::named("found") };
    let info =
        make_table(&[TableInput::of(games)], &out, &options, &StopSignal::default(), &mut |_| ()).unwrap();
    let mut counted: HashMap<u64, (Game, HashMap<String, [u32; 4]>)> = HashMap::new();
    let mut read = 0;
    for record in dataset::source::open(games).unwrap() {
        let Ok(Record::Game(record)) = record.unwrap() else { continue };
        read += u64::from(record.winner.is_some());
        let result = match record.winner {
            Some(Winner::White) => 0,
            Some(Winner::Draw) => 1,
            Some(Winner::Black) => 2,
            None => 3,
        };
        let mut game = record.game(0);
        for recorded in record.moves.iter().take(usize::from(plies)) {
            let san = print_san(game.position(), recorded.played);
            if game.repetitions() == 0 {
                let place = counted
                    .entry(polyglot_key(game.position()))
                    .or_insert_with(|| (game.clone(), HashMap::new()));
                place.1.entry(san).or_default()[result] += 1;
            }
            game.play(recorded.played).unwrap();
        }
    }
    assert_eq!((info.counts.games, info.positions), (read, counted.len() as u64));
    let mut table = Table::open(&out).unwrap();
    for (game, expected) in counted.values() {
        let found = table.moves(game.position()).unwrap().into_iter().map(|each| {
            let MoveTally { white, draws, black, unknown, .. } = each.tally;
            (print_san(game.position(), each.chess_move), [white, draws, black, unknown])
        });
        assert_eq!(&found.collect::<HashMap<_, _>>(), expected, "{}", game.fen());
    }
    read
}

/// A game in PGN, with its start.
fn pgn(game: &Game, result: &str) -> String {
    let start = Game::from_position(game.history()[0].position.clone(), CastlingMode::Standard);
    let mut text = format!("[SetUp \"1\"]\n[FEN \"{}\"]\n[Result \"{result}\"]\n\n", start.fen());
    for (chess_move, entry) in game.moves().iter().zip(game.history()) {
        text.push_str(&print_san(&entry.position, *chess_move));
        text.push(' ');
    }
    format!("{text}{result}\n\n")
}

/// Castling, promotions, en passant, repetitions, and games from a few starts, which meet again soon.
#[test]
fn tables_agree_with_random_games_replayed_one_by_one() {
    let games: Vec<Game> = laws::sample_games(17, 300)
        .into_iter()
        .filter(|game| game.castling_mode() == CastlingMode::Standard && !game.moves().is_empty())
        .collect();
    let results = ["1-0", "1/2-1/2", "0-1"].into_iter().cycle();
    let text: String = games.iter().zip(results).map(|(game, result)| pgn(game, result)).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("random.pgn");
    fs::write(&file, text).unwrap();
    for plies in [4, 100] {
        assert_eq!(agrees_with_games_replayed(&file, plies), games.len() as u64);
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_tables_agree_with_games_replayed_one_by_one() {
    let data = PathBuf::from(std::env::var_os("TABIYA_DATA").unwrap());
    let read = agrees_with_games_replayed(&data.join("games/lichess-by-level.pgn.zst"), 16);
    assert!(read > 1000, "{read} games");
}

/// A stamp of zeros looked like a source that is gone, whose table is never out of date.
#[cfg(unix)]
#[test]
fn a_source_that_cannot_be_looked_at_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (file, table) = (folder.path().join("games.pgn"), folder.path().join("table"));
    fs::write(&file, GAMES).unwrap();
    make_table(
        &[TableInput::of(&file)],
        &table,
        &MakeOptions::named("games"),
        &StopSignal::default(),
        &mut |_| (),
    )
    .unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(Stamp::of(&file).unwrap(), Stamp { path: file.clone(), bytes: 0, modified: 0 });
    std::os::unix::fs::symlink("games.pgn", &file).unwrap();
    assert!(matches!(Stamp::of(&file), Err(ExplorerError::Output(_))), "a link to itself");
    let found = Table::open(&table).unwrap().info().is_stale();
    assert!(found.is_err(), "{found:?}");
}
