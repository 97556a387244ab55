//! From priors and values to a move: the tree search that turns an [`chess::Evaluator`] into a player.
//!
//! How it works, with the source of every formula, is told in `docs/methods.md`.

pub mod options;
pub mod puct;
pub mod score;
pub mod time;

pub use options::{Kind, OptionError, PuctOptions, TUNABLES, Tunable, Value};
pub use puct::Puct;
