//! Law suites: functions that test the documented laws of a trait on any implementation of it.
//!
//! Each panics with the law and the position that breaks it. The feature `laws`, which only dev-dependencies turn
//! on, lets other crates run the same suites on their networks and searches.

pub mod evaluator;
pub mod features;
pub mod games;
mod hashed_evaluator;
pub mod input;
pub mod moves;
pub mod parsers;
pub mod policy_rows;
pub mod search;

pub use games::{colour_flipped, files_exchanged, queen_ahead, recorded_end, sample_games};
pub use hashed_evaluator::HashedEvaluator;
