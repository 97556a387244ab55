//! What can go wrong with learners.

use chess::EvaluatorError;
use dataset::DatasetError;
use network::NetworkError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegressionError {
    /// A file that could not be read, is damaged, or is none of learners; a recipe that is not valid: as those of networks.
    #[error(transparent)]
    File(#[from] NetworkError),
    /// An encoding that no list knows.
    #[error(transparent)]
    UnknownEncoding(#[from] chess::encoding::UnknownEncoding),
    /// The sample store failed.
    #[error(transparent)]
    Store(#[from] DatasetError),
    /// The samples do not serve.
    #[error("{store}: found {found}, expected {expected}")]
    Samples {
        /// The store.
        store: String,
        /// What it holds.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// A learner could not be fitted.
    #[error("learner {learner}: {reason}")]
    Fit {
        /// Its name in the recipe.
        learner: String,
        /// What stopped it.
        reason: String,
    },
    /// The curve of a sweep could not be drawn.
    #[error("drawing the sweep: {0}")]
    Drawing(String),
    /// The network of a blend failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}
