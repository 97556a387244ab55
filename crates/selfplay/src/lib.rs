//! Games of a network against itself: how they are played, where they are kept so that any machine can add to them, and how they
//! become the samples that the next network learns from.
//!
//! A [`Worker`] plays the games of a [`ReplayStore`]'s newest network, many at once on a [`BatchingEvaluator`], and puts each
//! there when it is finished. [`collect_window`] turns the newest generations into a sample store. A [`Learner`] closes the loop
//! with a [`Teacher`], which trains and judges. What plays comes from outside, through [`Engines`].

pub mod batching;
pub mod engine;
pub mod game;
pub mod generation;
pub mod learner;
pub mod mixed_samples;
pub mod play;
pub mod recipe;
pub mod reinforce;
pub mod replay;
pub mod run_log;
pub mod samples;
pub mod settings;
pub mod worker;

pub use batching::BatchingEvaluator;
pub use dataset::storage::{self, Storage};
pub use engine::{Effort, Engines};
pub use game::{BadGame, GameId, SelfPlayGame};
pub use generation::{GateResult, Generation, NetworkName};
pub use learner::{Learner, Teacher};
pub use mixed_samples::MixedSamples;
pub use recipe::{SelfPlayRecipe, Supervised};
pub use replay::{ReplayError, ReplayStore};
pub use samples::collect_window;
pub use settings::{GateSettings, PlaySettings, ReplaySettings};
pub use worker::Worker;
