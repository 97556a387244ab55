//! The commands as processes, the documents against the program, and the flaws of the five systems. One program, because linking one
//! for each file takes longer than running it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[cfg(feature = "s3")]
#[path = "running/bucket.rs"]
mod bucket_server;
#[path = "doubles/engine.rs"]
mod engine;
#[path = "../crates/dataset/tests/support/games.rs"]
mod games;
#[path = "running/program.rs"]
mod program;

mod book;
mod bridge;
#[cfg(feature = "s3")]
mod bucket;
mod chess960;
#[cfg(feature = "cluster")]
mod cluster;
mod cpu_network;
mod data_command;
mod experiment;
mod explore;
mod files;
mod flaws;
mod generation;
mod judge;
mod labelling;
mod ladder;
mod lichess;
#[path = "match.rs"]
mod matches;
mod metrics;
mod net_command;
mod outputs;
mod page;
mod personal;
mod play;
#[path = "readme/main.rs"]
mod readme;
mod recipe_data;
mod recipe_runs;
mod recipes;
mod reinforce;
mod replaced_inputs;
mod report;
mod review;
mod selfplay;
mod sparse_network;
#[cfg(feature = "sql")]
mod sql;
mod suite;
mod train_command;
mod tune;
#[path = "uci/main.rs"]
mod uci;
