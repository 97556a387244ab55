//! A server that speaks Lichess's Bot API on this machine: accounts, challenges, games with clocks, streams, and faults of
//! many kinds on request. It judges games by the rules and flags players who are out of time.

// The paths are written out because `tests/lichess.rs` of the program also includes this file.
#[path = "double/connection.rs"]
mod connection;
#[path = "double/fault.rs"]
mod fault;
#[path = "double/game.rs"]
mod game;
#[path = "double/http.rs"]
mod http;
#[path = "double/server.rs"]
mod server;

#[allow(unused_imports, reason = "each test uses its share")]
pub(crate) use fault::{FAULTS, Fault};
#[allow(unused_imports, reason = "each test uses its share")]
pub(crate) use game::{Finished, GameRules, ServerGame};
pub(crate) use server::Lichess;
