//! Stores of random games, and what queries answer about them.
#![allow(dead_code, reason = "each test that includes this file uses a part of it")]

use std::path::{Path, PathBuf};

use dataset::{BuildConfig, NoObserver, Sample, Split, Store, build};
use query::{Format, QueryError, Resources, ResultWriter, SqlSession};
use serde_json::Value;

/// A store named `name` of these games, a third of them for validation.
pub(crate) fn store_of(folder: &Path, name: &str, text: &str) -> Store {
    let input = folder.join(format!("{name}.pgn"));
    std::fs::write(&input, text).unwrap();
    let mut config = BuildConfig::new(folder.join(name), [input]);
    config.validation_share = 0.3;
    build(&config, &mut NoObserver).unwrap();
    Store::open(&config.output).unwrap()
}

/// A store named `hand-made` with three positions of history.
pub(crate) fn store_with_history(folder: &Path) -> Store {
    let mut config = BuildConfig::new(folder.join("hand-made"), [testdata("games/hand-made.pgn")]);
    (config.validation_share, config.history) = (0.3, 3);
    build(&config, &mut NoObserver).unwrap();
    Store::open(&config.output).unwrap()
}

pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// All samples with their splits.
pub(crate) fn samples(store: &Store) -> Vec<(&'static str, Sample)> {
    let of = |name, split| store.row_groups(split).flat_map(Result::unwrap).map(move |sample| (name, sample));
    of("train", Split::Train).chain(of("validation", Split::Validation)).collect()
}

pub(crate) fn session(stores: &[Store]) -> SqlSession {
    SqlSession::open(stores, Resources::default()).unwrap()
}

/// Answer of a query in one of the formats.
pub(crate) fn text(session: &SqlSession, format: Format, sql: &str) -> Result<String, QueryError> {
    let mut rows = ResultWriter::new(format, Vec::new());
    session.run(sql, &mut rows)?;
    Ok(String::from_utf8(rows.finish()?).unwrap())
}

/// The rows of a query as JSON objects.
pub(crate) fn ask(session: &SqlSession, sql: &str) -> Vec<Value> {
    let text = text(session, Format::JsonLines, sql).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The message with which a query fails.
pub(crate) fn refused(session: &SqlSession, sql: &str) -> String {
    text(session, Format::JsonLines, sql).unwrap_err().to_string()
}
