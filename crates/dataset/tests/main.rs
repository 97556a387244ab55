//! The crate from outside. One program, because linking one for each file takes longer than running it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[path = "support/games.rs"]
mod games;

mod evaluations;
mod foreign_stores;
mod labels;
mod merge;
mod other_programs;
mod packing;
mod pgn;
mod real_formats;
mod seed_data;
mod source_laws;
mod store;
mod streaming;
mod tables;
