//! The games behind the counts of a table, compared with the games read.

use std::{collections::HashMap, fmt::Write as _, fs, path::Path};

use census::openings::{
    ExplorerError, GameFilter, GameList, GameQuery, ListedGame, MOST_LISTED, MakeOptions, Table, TableInfo,
    TableInput, make_table,
};
use chess::{Game, StopSignal, laws, polyglot::polyglot_key, print_san};
use dataset::{
    BuildConfig, NoObserver,
    record::{GameRecord, Record, Winner},
};

const GAMES: &str = r#"[White "Fischer"]
[Black "Spassky"]
[Date "1972.07.11"]
[WhiteElo "2785"]
[BlackElo "2660"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0

[White "Anna"]
[Black "Bert"]
[Date "2014.??.??"]
[WhiteElo "2000"]
[BlackElo "2101"]
[Result "0-1"]

1. Nf3 e5 2. e4 Nc6 0-1

[White "Nobody"]
[Date "1999.01.31"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 d6 1/2-1/2
"#;

/// Makes the table of a PGN and opens it.
fn table_of(folder: &Path, text: &str, options: &MakeOptions) -> Table {
    let (source, out) = (folder.join("games.pgn"), folder.join("games.openings"));
    fs::write(&source, text).unwrap();
    made(&source, &out, options);
    fs::remove_file(source).unwrap();
    Table::open(&out).unwrap()
}

fn made(source: &Path, out: &Path, options: &MakeOptions) -> TableInfo {
    make_table(&[TableInput::of(source)], out, options, &StopSignal::default(), &mut |_| ()).unwrap()
}

fn after(moves: &str) -> Game {
    let mut game = Game::default();
    moves.split_whitespace().for_each(|san| _ = game.play_san(san).unwrap());
    game
}

fn all() -> GameQuery {
    GameQuery { most: 10, ..GameQuery::default() }
}

fn whites(games: &[ListedGame]) -> Vec<&str> {
    games.iter().map(|game| game.record.players.white.as_deref().unwrap_or("?")).collect()
}

#[test]
fn games_are_listed_by_strength_whatever_their_order_of_moves_and_without_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = table_of(folder.path(), GAMES, &MakeOptions::named("three"));
    let place = after("e4 e5 Nf3");
    let page = table.games(place.position(), &all()).unwrap();
    assert_eq!((whites(&page.games), page.total), (vec!["Fischer", "Anna", "Nobody"], 3));
    assert_eq!(page.games.iter().map(|game| game.ply).collect::<Vec<_>>(), [3, 3, 3]);
    let first = &page.games[0].record;
    assert_eq!((first.white_rating, first.black_rating), (Some(2785), Some(2660)));
    assert_eq!((first.year, first.winner, first.moves.len()), (Some(1972), Some(Winner::White), 5));
    let knight = chess::parse_san(place.position(), "Nc6").unwrap();
    let query = GameQuery { chess_move: Some(knight), from: 1, ..all() };
    let page = table.games(place.position(), &query).unwrap();
    assert_eq!((whites(&page.games), page.total), (vec!["Anna"], 2));
    assert_eq!(table.games(after("a3").position(), &all()).unwrap().total, 0);
    let none = GameQuery { from: MOST_LISTED, ..all() };
    assert!(table.games(place.position(), &none).unwrap().games.is_empty());
}

#[test]
fn ratings_and_years_filter_counts_and_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = table_of(folder.path(), GAMES, &MakeOptions::named("three"));
    let place = after("e4 e5 Nf3");
    for (ratings, years, expected) in [
        (Some(2000..=2050), None, vec!["Anna"]),
        (Some(2051..=3000), None, vec!["Fischer"]),
        (Some(0..=u16::MAX), None, vec!["Fischer", "Anna"]),
        (None, Some(1972..=1999), vec!["Fischer", "Nobody"]),
        (Some(2000..=2400), Some(1972..=1999), vec![]),
    ] {
        let filter = GameFilter { ratings, years };
        let page = table.games(place.position(), &GameQuery { filter: filter.clone(), ..all() }).unwrap();
        assert_eq!(
            (whites(&page.games), page.total),
            (expected.clone(), expected.len() as u64),
            "{filter:?}"
        );
        let moves = table.filtered_moves(place.position(), &filter).unwrap();
        assert_eq!(moves.iter().map(|each| each.tally.games()).sum::<u64>(), page.total);
    }
    let filter = GameFilter { ratings: Some(2700..=2800), years: None };
    let moves = table.filtered_moves(place.position(), &filter).unwrap();
    let tally = moves[0].tally;
    assert_eq!((moves.len(), tally.white, tally.games()), (1, 1, 1));
    assert_eq!((tally.rating(), tally.years()), (Some(2660), Some((1972, 1972))), "Black was to move");
    let everything = table.filtered_moves(place.position(), &GameFilter::default()).unwrap();
    assert_eq!(everything, table.moves(place.position()).unwrap());
}

/// The slow way: every game replayed, and each position's games in a map.
#[test]
fn lists_agree_with_random_games_replayed_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for (number, game) in laws::sample_games(23, 200).iter().enumerate() {
        let rating = 1000 + number % 7 * 100;
        writeln!(text, "[White \"{number}\"]\n[WhiteElo \"{rating}\"]\n[BlackElo \"{rating}\"]").unwrap();
        writeln!(text, "[SetUp \"1\"]\n[FEN \"{}\"]\n", game.start_fen()).unwrap();
        for (chess_move, entry) in game.moves().iter().zip(game.history()) {
            text.push_str(&print_san(&entry.position, *chess_move));
            text.push(' ');
        }
        text.push_str("*\n\n");
    }
    let source = folder.path().join("random.pgn");
    fs::write(&source, &text).unwrap();
    let mut records: Vec<GameRecord> = Vec::new();
    for record in dataset::source::open(&source).unwrap() {
        if let Ok(Record::Game(record)) = record.unwrap() {
            records.push(record);
        }
    }
    for (min_games, plies) in [(1, 100), (3, 30)] {
        let options = MakeOptions { plies, min_games, ..MakeOptions::named("random") };
        let mut table = table_of(folder.path(), &text, &options);
        let mut places: HashMap<u64, (Game, HashMap<String, Vec<String>>)> = HashMap::new();
        for record in &records {
            let mut game = record.game(0);
            for recorded in record.moves.iter().take(usize::from(plies)) {
                if game.repetitions() == 0 {
                    let place = places.entry(polyglot_key(game.position()));
                    let place = place.or_insert_with(|| (game.clone(), HashMap::new()));
                    let san = print_san(game.position(), recorded.played);
                    place.1.entry(san).or_default().push(record.players.white.clone().unwrap());
                }
                game.play(recorded.played).unwrap();
            }
        }
        for (game, lists) in places.values() {
            for (san, expected) in lists {
                let chess_move = chess::parse_san(game.position(), san).unwrap();
                let query =
                    GameQuery { chess_move: Some(chess_move), most: MOST_LISTED, ..GameQuery::default() };
                let page = table.games(game.position(), &query).unwrap();
                let mut found = whites(&page.games);
                found.sort_unstable();
                let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
                expected.sort_unstable();
                if expected.len() < min_games as usize {
                    expected.clear();
                }
                assert_eq!(found, expected, "{san} in {}", game.fen());
                let strength: Vec<_> = page.games.iter().map(|game| game.record.white_rating).collect();
                assert!(strength.is_sorted_by(|one, other| one >= other), "{strength:?}");
            }
        }
    }
}

#[test]
fn tables_without_lists_count_and_say_why_they_list_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = MakeOptions { lists_games: false, ..MakeOptions::named("counts") };
    let mut table = table_of(folder.path(), GAMES, &options);
    let filter = GameFilter { ratings: None, years: Some(1990..=2020) };
    let start = Game::default();
    assert_eq!(table.moves(start.position()).unwrap().len(), 2);
    assert_eq!(table.info().game_list, GameList::LeftOut);
    for error in [
        table.games(start.position(), &all()).unwrap_err(),
        table.filtered_moves(start.position(), &filter).unwrap_err(),
    ] {
        assert!(matches!(error, ExplorerError::NoGames { .. }), "{error}");
    }
    assert!(!table.info().lacks_games(), "left out by choice");
    let mut table = made_older(&folder.path().join("games.openings"));
    assert!(table.info().lacks_games());
    assert_eq!(table.moves(start.position()).unwrap().len(), 2);
    let error = table.games(start.position(), &all()).unwrap_err().to_string();
    assert!(error.contains("read the games again"), "{error}");
}

/// Rewrites a table without lists as one of a version that knew none: its object about the table did not mention them.
fn made_older(file: &Path) -> Table {
    let whole = fs::read(file).unwrap();
    let length = u64::from_le_bytes(whole[whole.len() - 8..].try_into().unwrap()) as usize;
    let (body, object) = whole[..whole.len() - 8].split_at(whole.len() - 8 - length);
    let old = String::from_utf8(object.to_vec()).unwrap().replace(r#","game_list":"left_out""#, "");
    assert_eq!(old.len(), length - 23);
    fs::write(file, [body, old.as_bytes(), &(old.len() as u64).to_le_bytes()].concat()).unwrap();
    Table::open(file).unwrap()
}

#[test]
fn a_store_has_no_games_to_list() {
    let folder = tempfile::tempdir().unwrap();
    let [games, store, out] = ["g.pgn", "g.store", "g.openings"].map(|name| folder.path().join(name));
    fs::write(&games, GAMES).unwrap();
    dataset::build(&BuildConfig::new(&store, [&games]), &mut NoObserver).unwrap();
    assert_eq!(made(&store, &out, &MakeOptions::named("store")).game_list, GameList::LeftOut);
    let mut older = made_older(&out);
    assert!(!older.info().lacks_games(), "reading the store again brings none");
    let error = older.games(Game::default().position(), &all()).unwrap_err().to_string();
    assert!(error.contains("sample store") && !error.contains("again"), "{error}");
}

#[test]
fn a_damaged_list_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = table_of(folder.path(), GAMES, &MakeOptions::named("three"));
    let GameList::Kept(sizes) = table.info().game_list else { panic!("{:?}", table.info()) };
    let moves = table.info().moves as usize;
    let file = folder.path().join("games.openings");
    let whole = fs::read(&file).unwrap();
    // The place of the first list, the start of the first game, and the first move of it.
    let places = 16 + moves * 42 + sizes.postings as usize * 10;
    for at in [places + 7, places + 8 + 7, places + 8 + 8 * sizes.games as usize + 8] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&file, bytes).unwrap();
        let found = Table::open(&file).unwrap().games(Game::default().position(), &all());
        assert!(matches!(found, Err(ExplorerError::Format { .. })), "byte {at}: {found:?}");
    }
    let mut short = whole;
    short.remove(places);
    fs::write(&file, short).unwrap();
    assert!(matches!(Table::open(&file), Err(ExplorerError::Format { .. })));
}
