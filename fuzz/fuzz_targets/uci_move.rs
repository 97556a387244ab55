//! Any text read as UCI move, in a position that the first byte chooses.
#![no_main]

use std::sync::LazyLock;

use chess::{
    Game,
    laws::{parsers, sample_games},
};
use libfuzzer_sys::fuzz_target;

static GAMES: LazyLock<Vec<Game>> = LazyLock::new(|| sample_games(0, 256));

fuzz_target!(|input: (u8, &str)| parsers::check_uci_move(&GAMES[usize::from(input.0)], input.1));
