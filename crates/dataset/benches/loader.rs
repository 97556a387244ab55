//! Encoded samples per second from a store, by number of threads.
//!
//! `TABIYA_STORE=FOLDER cargo bench -p dataset --bench loader` measures on a store of real games; without the variable,
//! on a store of random games.
#![allow(clippy::print_stdout, reason = "a benchmark reports by printing")]

#[path = "../tests/support/games.rs"]
mod games;

use std::{path::PathBuf, time::Instant};

use chess::encoding::{InputEncoding, MoveEncoding, input::input_encoding, moves::move_encoding};
use dataset::{BuildConfig, Loader, LoaderConfig, LoaderState, NoObserver, Split, Store, build};

const BATCH: usize = 1024;

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = std::env::var_os("TABIYA_STORE").map_or_else(
        || {
            let input = directory.path().join("random.pgn");
            std::fs::write(&input, games::random_games(8_000, 100, true)).expect("games can be written");
            let mut config = BuildConfig::new(directory.path().join("store"), [input]);
            config.history = 8;
            build(&config, &mut NoObserver).unwrap_or_else(|error| panic!("{error}"));
            config.output
        },
        PathBuf::from,
    );
    let store = Store::open(&path).unwrap_or_else(|error| panic!("{error}"));
    let moves = move_encoding("lc0-1858").unwrap_or_else(|error| panic!("{error}"));
    for name in ["tabiya", "lc0-112"] {
        let input = input_encoding(name).unwrap_or_else(|error| panic!("{error}"));
        if input.history() > store.manifest().history {
            println!("{name}: left out, the store keeps too little history");
            continue;
        }
        let one = measure(&store, input, moves, 1);
        let two = measure(&store, input, moves, 2);
        println!("{name}: {one:.0} samples/s with one encoder, {two:.0} with two ({:.2} x)", two / one);
    }
}

/// The best of three runs, each from the start of an epoch and including the reading of the first window.
fn measure(
    store: &Store,
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    threads: usize,
) -> f64 {
    let most = store.positions(Split::Train) as usize / BATCH;
    let batches = most.min(600);
    let config = LoaderConfig {
        split: Split::Train,
        batch_size: BATCH,
        seed: 1,
        shuffle_window: 1 << 18,
        threads,
        prefetch: 8,
    };
    let run = |epoch| {
        let start = Instant::now();
        let loader = Loader::new(store, input, moves, config.clone(), LoaderState { epoch, batch: 0 })
            .unwrap_or_else(|error| panic!("{error}"));
        let mut samples = 0;
        for batch in loader.take(batches) {
            samples += batch.unwrap_or_else(|error| panic!("{error}")).size;
        }
        samples as f64 / start.elapsed().as_secs_f64()
    };
    (0..3).map(run).fold(0.0, f64::max)
}
