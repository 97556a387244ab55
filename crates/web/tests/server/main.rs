//! The server as programs see it: real sockets, and a search that plays the first legal move.
#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod analyses;
mod analysis;
mod description;
mod double;
mod endgames;
mod first_paint;
mod games;
mod hostile;
mod insights;
mod judgements;
mod openings;
mod personal;
mod reviews;
mod runs;
mod stage;
