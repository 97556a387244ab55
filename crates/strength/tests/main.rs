//! The crate from outside. One program, because linking one for each file takes longer than running it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[path = "../../../tests/doubles/engine.rs"]
mod engine;
#[path = "../../../tests/doubles/material_engine.rs"]
mod material_engine;

mod legacy;
mod matches;
mod players;
mod sequential;
mod statistics;
mod stockfish;
mod uci_player;
