//! From priors and values to a move: the searches that turn an [`chess::Evaluator`] into a player, above all [`Puct`];
//! [`SEARCHES`] lists them.
//!
//! How it works, with the source of every formula, is told in `docs/methods.md`.

pub mod alpha_beta;
mod cache;
mod deadline;
mod findings;
pub mod kinds;
mod material;
pub mod options;
pub mod policy;
pub mod puct;
pub mod rollouts;
pub mod score;
pub mod time;
pub mod value;

pub use kinds::{SEARCHES, SearchKind, UnknownSearch, search_kind};
pub use options::{Kind, OptionError, PuctOptions, TUNABLES, Tunable, Value};
pub use puct::Puct;
