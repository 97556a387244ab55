//! Nearest neighbours, forests and linear models that predict values, alone or mixed with a network.
//!
//! A [`LearnerRecipe`] names a sample store, the input of the learners ([`Features`]) and the learners. [`train()`]
//! fits them to evaluations in pawns, weights them on held-out games and returns a [`TrainedEnsemble`], which can be
//! stored in a file. A [`RegressionEvaluator`] plays it with any search.
//!
//! # Examples
//! ```
//! use chess::Game;
//! use regression::{Features, LearnerRecipe};
//!
//! let recipe = "title = 'trees'\ndata = 'stores/first'\n\
//!     [learner]\ninput = 'knights-6-10'\nmembers = { trees = { kind = 'forest' } }";
//! let learner = LearnerRecipe::from_toml(recipe, "an example")?.learner;
//! // 64 squares and ten counts.
//! let features = Features::new(&learner.input, learner.layout)?;
//! assert_eq!(features.of(&Game::default()).len(), 74);
//! # Ok::<_, regression::RegressionError>(())
//! ```

mod cross_validation;
mod ensemble;
mod error;
mod evaluator;
mod examples;
mod features;
mod models;
mod recipe;
mod report;
mod trained;
mod training;

pub use error::RegressionError;
pub use evaluator::RegressionEvaluator;
pub use features::{Features, Layout};
pub use recipe::{Blend, Combination, LearnerConfig, LearnerKind, LearnerRecipe};
pub use report::{BlendReport, LearnerReport, RegressionReport, SweepPoint, draw_sweep};
pub use trained::{BlendedNetwork, FORMAT, TrainedEnsemble, TrainedLearner};
pub use training::{TrainingSetting, train};
