//! The crate from outside. One program, because linking one for each file takes longer than running it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[path = "../../dataset/tests/support/games.rs"]
mod games;

mod games_behind;
mod python;
mod statistics;
mod tables;
