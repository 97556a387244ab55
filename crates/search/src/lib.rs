//! From priors and values to a move: the searches that turn an [`chess::Evaluator`] into a player, above all [`Puct`];
//! [`SEARCHES`] lists them.
//!
//! `docs/methods.md` explains the methods and gives the source of every formula.
//!
//! # Examples
//! ```
//! use std::sync::Arc;
//!
//! use chess::{CastlingMode, Game, Limits, MaterialEvaluator, Score, SearchOptions, StopSignal};
//!
//! let kind = search::search_kind("puct")?;
//! let mut search = kind.build(Arc::new(MaterialEvaluator), &SearchOptions::default(), None);
//! let game = Game::from_fen("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", CastlingMode::Standard)?;
//! let limits = Limits { nodes: Some(100), ..Limits::default() };
//! let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| {})?;
//! assert_eq!(chess::print_san(game.position(), decision.best), "Ra8#");
//! assert_eq!(decision.info.variations[0].score, Score::Mate(1));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod alpha_beta;
mod auto;
pub mod bench;
pub mod book;
mod cache;
mod evaluate;
mod general_options;
pub mod hints;
pub mod imitation;
pub mod kinds;
mod material;
mod moves;
pub mod options;
mod packed;
mod playing;
pub mod policy;
pub mod puct;
mod pvs;
pub mod rollouts;
mod root_moves;
pub mod rules;
pub mod score;
mod search_report;
pub mod temperature;
pub mod time;
mod tunables;
pub mod value;
pub mod value_priors;

pub use evaluate::{evaluate, evaluate_one};
pub use general_options::GeneralOptions;
pub use kinds::{POLICY, SEARCHES, SearchKind, UnknownSearch, search_kind, tree_search};
pub use puct::Puct;
