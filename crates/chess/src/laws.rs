//! What every implementation of a seam must obey, as functions that a test calls on its own implementation.
//!
//! Each panics with the law's name and the position that breaks it. They belong to the library, and not to its tests,
//! so that the crates above run the same suites on their networks and searches.

pub mod evaluator;
pub mod games;
pub mod input;
pub mod moves;
pub mod parsers;
pub mod search;

pub use games::{colour_flipped, recorded_end, sample_games};
