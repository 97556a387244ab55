//! The self-play loop and its parts: games, a replay store that machines share, REINFORCE.
//!
//! A [`Worker`] plays games with a [`ReplayStore`]'s newest network, many at once on a [`BatchingEvaluator`], and stores each game
//! when it is finished. [`collect_window`] turns the newest generations into a sample store. A [`LearningLoop`] closes the loop
//! with a [`GenerationTrainer`], which trains and judges. Playing and training are behind traits, [`Engines`] and
//! [`GenerationTrainer`], so the loop can be tested without networks; runs use [`RunEngines`] and [`RunTrainer`].
//!
//! # Examples
//! A run that one process begins and another joins:
//! ```
//! use selfplay::{NetworkName, ReplayStore, Storage};
//!
//! let folder = tempfile::tempdir()?;
//! let storage = || Storage::open(&folder.path().display().to_string());
//! ReplayStore::create(storage()?, "tabiya 1", "title = 'toy'", &files::Inputs::default())?;
//! let joined = ReplayStore::open(storage()?, "tabiya 1")?;
//! assert_eq!(joined.recipe(), "title = 'toy'");
//! let state = ReplayStore::state(&joined.generations()?);
//! assert_eq!((state.generation, state.network), (0, NetworkName(0)));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

pub mod batching;
pub mod engine;
mod error;
pub mod game;
mod gate;
pub mod generation;
pub mod learning_loop;
pub mod mixed_samples;
pub mod play;
pub mod recipe;
pub mod reinforce;
pub mod replay;
pub mod run_end;
mod run_engines;
pub mod run_log;
mod run_trainer;
pub mod samples;
pub mod settings;
pub mod worker;

pub use batching::BatchingEvaluator;
pub use dataset::storage::{self, Storage};
pub use engine::{Effort, Engines};
pub use error::{GradingError, RunError};
pub use game::{BadGame, GameId, SelfPlayGame};
pub use gate::Gate;
pub use generation::{GateResult, Generation, NetworkName};
pub use learning_loop::{GenerationTrainer, LearningLoop};
pub use mixed_samples::MixedSamples;
pub use recipe::{SelfPlayRecipe, Supervised};
pub use replay::{ReplayError, ReplayStore};
pub use run_engines::RunEngines;
pub use run_trainer::RunTrainer;
pub use samples::collect_window;
pub use settings::{GateSettings, PlaySettings, ReplaySettings};
pub use worker::Worker;
