//! Positions per second from PGN to a sample store, on one core, and the size of the store.
//!
//! `TABIYA_DATA=FOLDER taskset -c 0 cargo bench -p dataset --bench pgn_to_store` measures on master games; without the
//! variable, on random games, which are longer and less regular.

#![allow(clippy::print_stdout, reason = "a benchmark reports by printing")]

#[path = "../tests/support/games.rs"]
mod games;

use std::{path::PathBuf, time::Instant};

use dataset::{BuildConfig, NoObserver, build};

/// Speed of python-chess 1.11 parsing on this kind of core, without any writing (plies a second).
const PYTHON_CHESS: f64 = 54_000.0;

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let (name, input) = if let Some(data) = std::env::var_os("TABIYA_DATA") {
        ("master games", PathBuf::from(data).join("games/master-games-0.pgn.zst"))
    } else {
        let input = directory.path().join("random.pgn");
        std::fs::write(&input, games::random_games(20_000, 100, false)).expect("games can be written");
        ("random games", input)
    };
    for round in 1..=3 {
        let output = directory.path().join(format!("store-{round}"));
        let start = Instant::now();
        let manifest = build(&BuildConfig::new(&output, [&input]), &mut NoObserver)
            .unwrap_or_else(|error| panic!("{error}"));
        let seconds = start.elapsed().as_secs_f64();
        let positions = manifest.counts.positions as f64;
        let bytes: u64 = manifest.train.iter().chain(&manifest.validation).map(|file| file.bytes).sum();
        println!(
            "{name}: {positions} positions in {seconds:.2} s = {:.0} positions/s, {:.1} x python-chess; {:.2} bytes a position",
            positions / seconds,
            positions / seconds / PYTHON_CHESS,
            bytes as f64 / positions,
        );
    }
}
