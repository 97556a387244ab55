//! Any bytes read as a Stockfish network: as they are, and after the header that is required before anything else is read; and
//! damaged networks, which evaluate positions if they are read.
#![no_main]

use std::sync::{Arc, LazyLock};

use chess::{Chess, Move, Position as _};
use libfuzzer_sys::fuzz_target;
use network::nnue::{Judge, Nnue, synthetic};
use tabiya_fuzz::{Damage, damaged};

static NETWORK: LazyLock<Vec<u8>> = LazyLock::new(|| synthetic::file(1));

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    let _ = Nnue::from_bytes(bytes, "fuzz");
    let _ = Nnue::from_bytes(&[&NETWORK[..synthetic::HEADER], bytes].concat(), "fuzz");
    if let Ok(nnue) = Nnue::from_bytes(&damaged(&NETWORK, &damage), "fuzz") {
        let position = Chess::default();
        let moves: Vec<Move> = position.legal_moves().into_iter().collect();
        let judgement = Judge::new(Arc::new(nnue)).judge(&position, &moves);
        assert!((judgement.shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
});
