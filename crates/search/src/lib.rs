//! From priors and values to a move: the searches that turn an [`chess::Evaluator`] into a player, above all [`Puct`];
//! [`SEARCHES`] lists them.
//!
//! `docs/methods.md` explains how they work and gives the source of every formula.

pub mod alpha_beta;
mod bound;
mod cache;
mod candidates;
mod evaluate;
mod findings;
mod general_options;
pub mod hints;
pub mod imitation;
pub mod kinds;
mod material;
mod moves;
pub mod options;
mod packed;
mod plain;
pub mod policy;
pub mod puct;
pub mod rollouts;
pub mod rules;
pub mod score;
pub mod temperature;
pub mod time;
mod tunables;
pub mod value;
pub mod variety;

pub use evaluate::{evaluate, evaluate_one};
pub use general_options::GeneralOptions;
pub use kinds::{SEARCHES, SearchKind, UnknownSearch, search_kind};
pub use puct::Puct;
