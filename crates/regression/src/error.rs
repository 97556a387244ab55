//! Errors of learners.

use chess::EvaluatorError;
use dataset::DatasetError;
use network::NetworkError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum RegressionError {
    /// A file that cannot be read, is damaged, or does not hold learners; a recipe that is not valid. Reported as for
    /// networks.
    #[error(transparent)]
    File(#[from] NetworkError),
    /// An encoding that no list knows.
    #[error(transparent)]
    UnknownEncoding(#[from] chess::encoding::UnknownEncoding),
    /// The sample store could not be opened or read.
    #[error(transparent)]
    Store(#[from] DatasetError),
    /// The samples of a store cannot be used.
    #[error("{store}: found {found}, expected {expected}")]
    Samples {
        store: String,
        /// The samples that it holds.
        found: String,
        /// The samples that are needed.
        expected: String,
    },
    /// A learner could not be fitted.
    #[error("learner {learner}: {reason}")]
    Fit {
        /// Its name in the recipe.
        learner: String,
        /// The cause of the failure.
        reason: String,
    },
    /// The curve of a sweep could not be drawn.
    #[error("drawing the sweep: {0}")]
    Drawing(#[from] chart::DrawingError),
    /// The network of a blend failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}
