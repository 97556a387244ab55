//! Stores made from the rows of queries, compared with a slow and obvious selection of the samples.

use crate::games;
use crate::stores;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use census::statistics::Statistics;
use dataset::{BuildConfig, NoObserver, Sample, Split, Store, build, store::verify};
use query::{Derived, QUERIES, QueryError, Resources, SqlSession, StoreRows, queries::Gives};

use stores::{samples, store_of, store_with_history};

/// Makes a store from a query of stores, in the order of their rows.
fn try_derive(output: &Path, stores: &[Store], sql: &str) -> Result<Derived, QueryError> {
    let resources = Resources { threads: std::num::NonZeroUsize::new(1), ..Resources::default() };
    let session = SqlSession::open(stores, resources)?;
    let mut rows = StoreRows::new(output, stores);
    session.run(sql, &mut rows)?;
    rows.finish(sql)
}

/// Derives a store that must succeed, and verifies it in every way.
fn derive(output: &Path, stores: &[Store], sql: &str) -> (Store, Derived) {
    let derived = try_derive(output, stores, sql).unwrap();
    verify(output).unwrap();
    let store = Store::open(output).unwrap();
    assert_eq!(store.manifest(), &derived.manifest);
    assert_eq!(derived.manifest.query.as_deref(), Some(sql));
    let hashes: Vec<_> = derived.manifest.merged.iter().map(|store| store.hash.clone()).collect();
    assert_eq!(hashes, stores.iter().map(Store::hash).collect::<Vec<_>>());
    let statistics = Statistics::count(&store, |_| {}).unwrap();
    let counts = &derived.manifest.counts;
    let [games, held_out] = [&statistics.splits.train, &statistics.splits.validation];
    assert_eq!(counts.positions, statistics.positions);
    assert_eq!(counts.validation_positions, held_out.positions);
    assert_eq!(counts.games, games.games + held_out.games + statistics.single_positions);
    (store, derived)
}

fn named(name: &str) -> &'static str {
    query::queries::find(name).unwrap().sql
}

/// Games, some of which are there twice, with and without evaluations, in both splits, and the positions of puzzles.
fn store_with_repetitions(folder: &Path) -> Store {
    let (games, puzzles) = (folder.join("games.pgn"), folder.join("positions.epd"));
    let text = [
        games::random_games(40, 30, true),
        games::random_games(40, 12, false),
        games::random_games(10, 30, true),
    ];
    std::fs::write(&games, text.concat()).unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    let lines = [
        format!("{start} bm e4; ce 20; acd 12;"),
        format!("{start} bm d4; ce 15; acd 30;"),
        format!("{after_e4} bm e5;"),
        format!("{after_e4} bm c5;"),
    ];
    std::fs::write(&puzzles, lines.join("\n") + "\n").unwrap();
    let config = BuildConfig {
        validation_share: 0.3,
        keep_duplicates: true,
        ..BuildConfig::new(folder.join("store"), [games, puzzles])
    };
    build(&config, &mut NoObserver).unwrap();
    Store::open(&config.output).unwrap()
}

/// The samples of a store in stored order, without their places.
fn rows(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

fn leaks(store: &Store) -> u64 {
    Statistics::count(store, |_| {}).unwrap().leaks.positions
}

/// The hash that decides the split of a sample.
type Rule = fn(&Sample) -> u64;

/// Order of preference among samples of a position; the smallest is kept.
fn worth(split: &str, sample: &Sample) -> (bool, bool, u16) {
    let depth = sample.effort.depth.unwrap_or(0).min(255);
    (split != "train", sample.evaluation.is_none(), 255 - depth)
}

#[test]
fn deduplicated_keeps_the_best_sample_of_each_position() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_repetitions(folder.path());
    let all = samples(&store);
    let mut best: HashMap<u64, (bool, bool, u16)> = HashMap::new();
    for (split, sample) in &all {
        let worth = worth(split, sample);
        best.entry(sample.position.key()).and_modify(|best| *best = worth.min(*best)).or_insert(worth);
    }
    assert!(best.len() + 100 < all.len(), "{} of {}", best.len(), all.len());

    let (derived, _) =
        derive(&folder.path().join("once"), std::slice::from_ref(&store), named("deduplicated"));
    let kept = samples(&derived);
    assert_eq!(kept.len(), best.len());
    let mut seen = HashSet::new();
    for row in &kept {
        let key = row.1.position.key();
        assert!(seen.insert(key) && all.contains(row), "{row:?}");
        assert_eq!(worth(row.0, &row.1), best[&key]);
    }
    assert_eq!(leaks(&derived), 0);
    assert!(leaks(&store) > 50);
}

#[test]
fn deduplicated_keeps_the_order_of_a_store_whose_games_differ() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(120, 50, true));
    let (once, derived) =
        derive(&folder.path().join("once"), std::slice::from_ref(&store), named("deduplicated"));
    assert_eq!(derived.parted_games, 0);
    for split in Split::ALL {
        let kept = rows(&once, split);
        let mut left = rows(&store, split).into_iter();
        let before = left.len();
        assert!(kept.iter().all(|sample| left.any(|other| other == *sample)), "{split:?}");
        assert!(kept.len() > 100 && kept.len() < before);
    }
}

#[test]
fn without_leaks_drops_validation_samples_that_are_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_repetitions(folder.path());
    let (derived, _) =
        derive(&folder.path().join("clean"), std::slice::from_ref(&store), named("without-leaks"));
    let (train, mut held_out) = (rows(&store, Split::Train), rows(&store, Split::Validation));
    let trained: HashSet<u64> = train.iter().map(|sample| sample.position.key()).collect();
    let before = held_out.len();
    held_out.retain(|sample| !trained.contains(&sample.position.key()));
    assert!(held_out.len() + 50 < before && held_out.len() > 50);
    assert_eq!(rows(&derived, Split::Train), train);
    assert_eq!(rows(&derived, Split::Validation), held_out);
    assert_eq!(leaks(&derived), 0);
}

#[test]
fn the_splits_are_made_anew_by_hash() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_repetitions(folder.path());
    let all: Vec<Sample> = samples(&store).into_iter().map(|(_, sample)| sample).collect();
    let single = |sample: &Sample| Sample { game: None, ..sample.clone() };
    let by_game: Rule = |sample| sample.game.unwrap_or_else(|| sample.position.key());
    let by_position: Rule = |sample| sample.position.key();
    for (name, rule, is_single) in
        [("resplit-games", by_game, false), ("resplit-positions", by_position, true)]
    {
        let (derived, _) = derive(&folder.path().join(name), std::slice::from_ref(&store), named(name));
        for split in Split::ALL {
            let expected = all.iter().filter(|sample| Split::of(rule(sample), 0.1) == split);
            let expected: Vec<Sample> =
                expected.map(|sample| if is_single { single(sample) } else { sample.clone() }).collect();
            assert!(!expected.is_empty());
            assert_eq!(rows(&derived, split), expected, "{name} {split:?}");
        }
        assert_eq!(leaks(&derived) == 0, is_single, "{name}");
    }
}

#[test]
fn every_query_gives_what_its_row_says() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_repetitions(folder.path());
    for query in QUERIES {
        let made = try_derive(&folder.path().join(query.name), std::slice::from_ref(&store), query.sql);
        match query.gives {
            Gives::Samples => drop(made.unwrap()),
            Gives::Answer => {
                assert!(made.unwrap_err().to_string().starts_with("column "), "{}", query.name);
            }
        }
    }
}

#[test]
fn all_rows_of_a_store_are_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.pgn");
    std::fs::write(&games, games::random_games(60, 80, true)).unwrap();
    for history in [1, 4] {
        let output = folder.path().join(format!("built-{history}"));
        let config = BuildConfig { history, validation_share: 0.3, ..BuildConfig::new(&output, [&games]) };
        let built = build(&config, &mut NoObserver).unwrap();
        let store = Store::open(&output).unwrap();
        let copy = folder.path().join(format!("copy-{history}"));
        let (_, derived) = derive(&copy, std::slice::from_ref(&store), "SELECT * FROM positions");
        let found = derived.manifest;
        assert_eq!((&found.train, &found.validation), (&built.train, &built.validation));
        assert_eq!((found.history, &found.sources, &found.counts), (history, &built.sources, &built.counts));
        assert_eq!(derived.parted_games, 0);
        let without = "SELECT * EXCEPT (store, history) FROM positions";
        if history > 1 {
            let (short, _) = derive(&folder.path().join("short"), std::slice::from_ref(&store), without);
            assert_eq!(short.manifest().history, 1);
            assert!(rows(&short, Split::Train).iter().all(|sample| sample.history.is_empty()));
        }
    }
}

#[test]
fn rows_of_several_stores_name_their_own_sources() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [
        store_of(folder.path(), "first", &games::random_games(20, 40, true)),
        store_with_history(folder.path()),
        store_of(folder.path(), "last", &games::random_pgn(77, 30, false)),
    ];
    let sql = "SELECT * EXCEPT (history) FROM positions WHERE ply % 2 = 0";
    let (derived, _) = derive(&folder.path().join("even"), &stores, sql);
    for split in Split::ALL {
        let mut expected = Vec::new();
        for (source, store) in stores.iter().enumerate() {
            let even = rows(store, split).into_iter().filter(|sample| sample.ply % 2 == 0);
            expected.extend(even.map(|sample| Sample {
                source: source as u16,
                history: dataset::History::default(),
                ..sample
            }));
        }
        assert_eq!(rows(&derived, split), expected, "{split:?}");
    }
    let manifest = derived.manifest();
    assert_eq!((manifest.version, manifest.history, manifest.sources.len()), (2, 1, 3));

    let refuse = |sql: &str| try_derive(&folder.path().join("no"), &stores, sql).unwrap_err().to_string();
    let message = refuse("SELECT * FROM positions");
    assert!(message.contains("column history: found stores that keep [1, 3, 1]"), "{message}");
    let message = refuse("SELECT * EXCEPT (store, history) FROM positions");
    assert!(message.contains("column store: found none"), "{message}");
    let message = refuse("SELECT * EXCEPT (history) REPLACE ('first' AS store) FROM positions");
    assert!(message.contains("column store: found \"first\", expected /"), "{message}");
}

#[test]
fn numbers_of_other_widths_become_those_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(5, 20, true));
    let sql = "SELECT * REPLACE (CAST(ply AS BIGINT) + 2 AS ply, weight * 0.5 AS weight, 3 AS origin, NULL AS mate, \
               coalesce(centipawns, 0) AS centipawns, [CAST(best_move AS BIGINT) + 1] AS policy_moves, \
               [1, -2] AS policy_scores, arrow_cast(coalesce(eco, 'C20'), 'LargeUtf8') AS eco) FROM positions";
    let (derived, _) = derive(&folder.path().join("wide"), std::slice::from_ref(&store), sql);
    let expected = samples(&store);
    let found = samples(&derived);
    assert_eq!(found.len(), expected.len());
    for ((_, found), (_, before)) in found.iter().zip(&expected) {
        assert_eq!((found.ply, found.weight), (before.ply + 2, 0.5));
        assert_eq!(found.eco.unwrap().to_string(), before.eco.map_or("C20".into(), |eco| eco.to_string()));
        assert_eq!(found.origin, Some(dataset::record::Origin::SelfPlay));
        let dataset::PolicyLabel::Scores(moves) = &found.policy else { panic!("{:?}", found.policy) };
        assert_eq!(moves[0], (before.best_move, chess::Score::Centipawns(1)));
        assert_eq!((moves.len(), moves[1].1), (2, chess::Score::Centipawns(-2)));
    }
}

/// Changes of `SELECT * FROM positions` that give no store, with the messages about them.
const REFUSED: &[(&str, &str)] = &[
    ("SELECT * EXCEPT (split) FROM positions", "column split: found none, expected train or validation"),
    ("SELECT * EXCEPT (ply) FROM positions", "column ply: found none"),
    ("SELECT * EXCEPT (policy_visits) FROM positions", "column policy_visits: found none"),
    ("SELECT *, ply AS turn FROM positions", "column turn: found a column that stores do not have"),
    (
        "SELECT *, position AS history FROM positions",
        "column history: found a column that stores do not have",
    ),
    ("SELECT a.*, b.ply FROM positions a JOIN positions b ON a.game = b.game", "column ply: found two"),
    (
        "SELECT * REPLACE (CAST(ply AS DOUBLE) AS ply) FROM positions",
        "column ply: found Float64, expected a whole number",
    ),
    ("SELECT * REPLACE (fen(position) AS position) FROM positions", "column position: found Utf8"),
    (
        "SELECT * REPLACE (ply AS policy_moves) FROM positions",
        "column policy_moves: found UInt16, expected a list",
    ),
    ("SELECT * REPLACE (ply AS eco) FROM positions", "column eco: found UInt16, expected a text or NULL"),
    (
        "SELECT * REPLACE (ply AS split) FROM positions",
        "column split: found UInt16, expected train or validation",
    ),
    ("SELECT * REPLACE (NULL AS ply) FROM positions", "column ply: found Null"),
    (
        "SELECT * REPLACE (nullif(ply, 3) AS ply) FROM positions",
        "column ply: found NULL, expected a whole number",
    ),
    ("SELECT * REPLACE (nullif(split, 'train') AS split) FROM positions", "column split: found NULL"),
    (
        "SELECT * REPLACE ([ply, NULL] AS policy_moves) FROM positions",
        "cannot contain nulls, expected a list of whole numbers",
    ),
    ("SELECT * REPLACE (ply + 70000 AS ply) FROM positions", "column ply: found "),
    ("SELECT * REPLACE ('test' AS split) FROM positions", "column split: found \"test\""),
    ("SELECT * REPLACE (ply AS result) FROM positions", "of the answer: found result 2"),
    ("SELECT * REPLACE (1 AS centipawns, 2 AS mate) FROM positions", "row 1 of the answer: found both"),
    ("SELECT * REPLACE ('pawn' AS eco) FROM positions", "found eco \"pawn\""),
    ("SELECT * REPLACE (7 AS source) FROM positions", "column source: found 7 in a sample of"),
    ("SELECT * REPLACE (0 AS engine) FROM positions", "column engine: found 0"),
    ("SELECT * REPLACE (split_of(position_key(position), 0.5) AS split) FROM positions", "in both splits"),
    ("SELECT * FROM positions WHERE ply < 0", "rows of the query: found none"),
    ("EXPLAIN SELECT * FROM positions", "column plan_type: found a column that stores do not have"),
    ("SELECT * FROM positions WHERE legal_move_count(from_fen('x')) = 1", "the query failed"),
];

#[test]
fn rows_that_are_no_samples_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(30, 40, true));
    let output = folder.path().join("refused");
    for (sql, expected) in REFUSED {
        let message = try_derive(&output, std::slice::from_ref(&store), sql).unwrap_err().to_string();
        assert!(message.contains(expected), "{sql}: {message}");
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.iter().all(|path| !path.display().to_string().contains("refused")), "{sql}: {left:?}");
    }
    let taken = try_derive(store.path(), std::slice::from_ref(&store), "SELECT * FROM positions");
    assert!(matches!(taken, Err(QueryError::Store(dataset::DatasetError::Exists { .. }))));
    verify(store.path()).unwrap();
}

#[test]
fn a_store_is_the_same_each_time_and_says_where_games_are_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(100, 60, true));
    let stores = std::slice::from_ref(&store);
    for name in ["deduplicated", "without-leaks"] {
        let [first, second] = ["one", "two"].map(|number| {
            let output = folder.path().join(format!("{name}-{number}"));
            derive(&output, stores, named(name)).1.manifest
        });
        assert_eq!(first, second, "{name}");
    }
    let shuffled = "SELECT * FROM positions ORDER BY hash(game, ply)";
    let (_, derived) = derive(&folder.path().join("shuffled"), stores, shuffled);
    assert!(derived.parted_games > 1000);
    let sorted = format!("SELECT * FROM ({shuffled}) ORDER BY game, ply");
    let (sorted, derived) = derive(&folder.path().join("sorted"), stores, &sorted);
    assert_eq!(derived.parted_games, 0);
    let by_game = |store: &Store| {
        let mut rows = samples(store);
        rows.sort_by_key(|(split, sample)| (*split, sample.game, sample.ply));
        rows
    };
    assert_eq!(samples(&sorted), by_game(&store));
}
