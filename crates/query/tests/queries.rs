//! Answers of queries, compared with the samples of the stores.

use crate::games;
use crate::stores;

use std::collections::HashSet;

use census::statistics::Statistics;
use dataset::Store;
use query::{Format, QUERIES, QueryError, Resources, ResultWriter, Rows, SqlSession, TABLES, queries::find};
use serde_json::{Value, json};

use stores::{ask, refused, samples, session, store_of, store_with_history, text};

fn named(session: &SqlSession, name: &str) -> Vec<Value> {
    ask(session, find(name).unwrap().sql)
}

#[test]
fn tables_count_what_the_statistics_count() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(80, 140, true));
    let statistics = Statistics::count(&store, |_| {}).unwrap();
    let session = session(std::slice::from_ref(&store));

    let games = "SELECT count(*) AS games, count(*) FILTER (WHERE result = 1) AS white FROM games";
    let expected = json!({"games": statistics.games, "white": statistics.results.white});
    assert_eq!(ask(&session, games), [expected]);
    let bytes = ask(&session, "SELECT CAST(sum(bytes) AS BIGINT) AS bytes FROM splits");
    assert_eq!(bytes[0]["bytes"], json!(statistics.bytes));
    let phases = "SELECT phase(position, ply) AS phase, count(*) AS samples FROM positions GROUP BY phase ORDER BY min(ply)";
    let expected = statistics.phases;
    assert_eq!(
        ask(&session, phases),
        [("opening", expected.opening), ("middlegame", expected.middlegame), ("endgame", expected.endgame)]
            .map(|(phase, samples)| json!({"phase": phase, "samples": samples}))
    );
    let distinct = ask(&session, "SELECT count(DISTINCT position_key(position)) AS keys FROM positions");
    assert_eq!(distinct[0]["keys"], json!(statistics.distinct_positions));

    let duplicates = named(&session, "duplicates");
    assert_eq!(duplicates.len(), 20);
    assert_eq!(duplicates[0]["samples"], json!(80), "every game begins alike");
    assert_eq!(duplicates[0]["train"], json!(statistics.splits.train.games));
}

#[test]
fn several_stores_are_one_set_of_tables() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [
        store_of(folder.path(), "first", &games::random_games(10, 40, true)),
        store_of(folder.path(), "second [*] #1?", &games::random_pgn(77, 30, false)),
        store_with_history(folder.path()),
    ];
    let session = session(&stores);
    for store in &stores {
        let name = store.path().display();
        let columns = "split, game, ply, weight, centipawns, depth, position";
        let found = sorted(ask(&session, &format!("SELECT {columns} FROM positions WHERE store = '{name}'")));
        let expected = samples(store).into_iter().map(|(split, sample)| {
            let centipawns = match sample.evaluation {
                Some(chess::Score::Centipawns(centipawns)) => Some(centipawns),
                _ => None,
            };
            let position: String = sample.position.0.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
            json!({
                "split": split, "game": sample.game, "ply": sample.ply, "weight": 1.0, "centipawns": centipawns,
                "depth": sample.effort.depth, "position": position,
            })
        });
        assert_eq!(found, sorted(expected.collect()), "{name}");
    }
    let histories = ask(&session, "SELECT history, version, positions FROM stores ORDER BY history DESC");
    let positions = stores[2].manifest().counts.positions;
    assert_eq!(histories[0], json!({"history": 3, "version": 2, "positions": positions}));
    let files: usize =
        stores.iter().map(|store| store.manifest().train.len() + store.manifest().validation.len()).sum();
    assert_eq!(ask(&session, "SELECT file FROM splits").len(), files);
    let joined = "SELECT path, count(*) AS n FROM positions JOIN sources USING (store, source) GROUP BY path";
    assert_eq!(ask(&session, joined).len(), 3);
}

fn sorted(mut rows: Vec<Value>) -> Vec<Value> {
    rows.sort_by_cached_key(Value::to_string);
    rows
}

#[test]
fn every_table_and_query_answers_for_a_store_with_history_and_one_without_validation() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), games::random_pgn(5, 20, false)).unwrap();
    let mut config =
        dataset::BuildConfig::new(folder.path().join("store"), [folder.path().join("games.pgn")]);
    config.validation_share = 0.0;
    dataset::build(&config, &mut dataset::NoObserver).unwrap();
    for store in [store_with_history(folder.path()), Store::open(&config.output).unwrap()] {
        let session = session(&[store]);
        for table in TABLES {
            ask(&session, &format!("SELECT * FROM {} LIMIT 3", table.name));
        }
        for query in QUERIES {
            let rows = named(&session, query.name);
            assert!(query.name == "duplicates" || !rows.is_empty(), "{}", query.name);
        }
    }
}

#[test]
fn games_have_the_result_for_white_and_all_their_samples() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(40, 60, true));
    let rows = ask(&session(std::slice::from_ref(&store)), "SELECT * FROM games");
    let samples = samples(&store);
    let games: HashSet<u64> = samples.iter().filter_map(|(_, sample)| sample.game).collect();
    assert_eq!(rows.len(), games.len());
    for row in rows {
        let of_game: Vec<_> =
            samples.iter().filter(|(_, sample)| sample.game == row["game"].as_u64()).collect();
        let (split, first) = &of_game[0];
        let white = first.result.map(|result| {
            let result = if first.position.turn().is_white() { result } else { result.flipped() };
            match result {
                dataset::GameResult::Win => 1,
                dataset::GameResult::Draw => 0,
                dataset::GameResult::Loss => -1,
            }
        });
        let plies = of_game.iter().map(|(_, sample)| sample.ply);
        assert_eq!(row["split"], *split);
        assert_eq!(row["positions"], of_game.len());
        assert_eq!(row["result"], json!(white));
        assert_eq!((&row["first_ply"], &row["last_ply"]), (&json!(plies.clone().min()), &json!(plies.max())));
        assert_eq!(row["white_rating"], json!(first.white_rating));
        assert_eq!(row["base_seconds"], json!(first.time_control.map(|control| control.base_seconds)));
    }
}

#[test]
fn nothing_that_changes_a_table_is_a_query() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(5, 20, true));
    let session = session(std::slice::from_ref(&store));
    for sql in [
        "INSERT INTO positions SELECT * FROM positions",
        "INSERT INTO splits SELECT * FROM splits",
        "DELETE FROM positions",
        "DROP TABLE positions",
        "CREATE TABLE more AS SELECT * FROM positions",
        "SET datafusion.execution.batch_size = 1",
        "SELECT 1; SELECT 2",
        "SELECT elo FROM positions",
        "SELECT * FROM moves",
        "ASK positions",
        "",
    ] {
        let message = refused(&session, sql);
        assert!(message.starts_with("the query failed: ") && !message.contains('\n'), "{sql}: {message}");
    }
    assert!(refused(&session, "SELECT elo FROM positions").contains("elo"));
    assert_eq!(
        dataset::store::verify(store.path()).unwrap(),
        Statistics::count(&store, |_| {}).unwrap().bytes
    );
}

#[test]
fn rows_can_be_copied_to_parquet_and_csv() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(10, 40, true));
    let session = session(std::slice::from_ref(&store));
    for ending in ["parquet", "csv", "json"] {
        let path = folder.path().join(format!("early.{ending}"));
        let sql = format!(
            "COPY (SELECT fen(position, ply) AS fen FROM positions WHERE ply < 7) TO '{}'",
            path.display()
        );
        let copied = ask(&session, &sql)[0]["count"].as_u64().unwrap();
        let early = samples(&store).iter().filter(|(_, sample)| sample.ply < 7).count() as u64;
        assert_eq!(copied, early, "{ending}");
        assert!(path.metadata().unwrap().len() > 100);
    }
    let lines = std::fs::read_to_string(folder.path().join("early.csv")).unwrap();
    assert!(
        lines.starts_with("fen\n")
            && lines.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    );
}

#[test]
fn rows_have_a_form_for_people_and_two_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(&[store_of(folder.path(), "store", &games::random_games(60, 60, true))]);
    let no_rows = "SELECT split, ply FROM positions WHERE ply > 9999";
    assert_eq!(text(&session, Format::Csv, no_rows).unwrap(), "split,ply\n");
    assert_eq!(text(&session, Format::JsonLines, no_rows).unwrap(), "");
    assert!(text(&session, Format::Table, no_rows).unwrap().contains("| split | ply |"));
    let nulls = "SELECT 'a,b' AS text, CAST(NULL AS INTEGER) AS nothing, 1.5 AS number";
    assert_eq!(text(&session, Format::Csv, nulls).unwrap(), "text,nothing,number\n\"a,b\",,1.5\n");
    assert_eq!(
        text(&session, Format::JsonLines, nulls).unwrap(),
        "{\"text\":\"a,b\",\"nothing\":null,\"number\":1.5}\n"
    );
    let all = text(&session, Format::Table, "SELECT ply FROM positions").unwrap();
    let rows = ask(&session, "SELECT ply FROM positions").len();
    assert!(rows > 1000);
    assert!(
        all.contains(&format!("1000 of {rows} rows; --csv and --json write all")),
        "{}",
        &all[all.len() - 200..]
    );
    assert_eq!(all.lines().count(), 1000 + 5);
    let refused = text(&session, Format::Csv, "SELECT legal_moves(position) FROM positions").unwrap_err();
    assert!(refused.to_string().contains("not supported in CSV"), "{refused}");
}

#[test]
fn the_answer_is_the_same_whatever_the_resources() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(150, 100, true));
    let sql = "SELECT position_key(position) AS key, count(*) AS n, min(ply) AS ply FROM positions GROUP BY key ORDER BY key";
    let ask_with = |threads, memory_bytes| {
        let resources = Resources { threads: std::num::NonZeroUsize::new(threads), memory_bytes };
        ask(&SqlSession::open(std::slice::from_ref(&store), resources).unwrap(), sql)
    };
    let one = ask_with(1, 400 << 20);
    assert!(one.len() > 5000);
    assert_eq!(ask_with(4, 400 << 20), one);
}

#[test]
fn an_observer_ends_a_query() {
    struct Once(u64);
    impl query::RowObserver for Once {
        fn rows(&mut self, rows: &Rows) -> Result<(), QueryError> {
            self.0 += rows.num_rows() as u64;
            Err(QueryError::Stopped)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let session = session(&[store_of(folder.path(), "store", &games::random_games(60, 60, true))]);
    let mut observer = Once(0);
    let ended = session.run("SELECT a.ply FROM positions a CROSS JOIN positions b", &mut observer);
    assert!(matches!(ended, Err(QueryError::Stopped)) && observer.0 > 0);
    let mut rows = ResultWriter::new(Format::Csv, Vec::new());
    session.run("SELECT count(*) AS n FROM positions", &mut rows).unwrap();
    assert_eq!(rows.written(), 1, "the session continues");
}
