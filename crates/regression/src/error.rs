//! Errors of learners.

use chess::EvaluatorError;
use dataset::DatasetError;
use network::NetworkError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum RegressionError {
    /// A file that cannot be read, is damaged, or does not contain learners; or a recipe that is not valid. Reported as
    /// for networks.
    #[error(transparent)]
    File(#[from] NetworkError),
    /// An encoding that is in no list.
    #[error(transparent)]
    UnknownEncoding(#[from] chess::encoding::UnknownEncoding),
    #[error(transparent)]
    Store(#[from] DatasetError),
    /// The samples of a store cannot be used.
    #[error("{store}: found {found}, expected {expected}")]
    Samples { store: String, found: String, expected: String },
    #[error("learner {learner}: {reason}")]
    Fit { learner: String, reason: String },
    /// The curve of a sweep could not be drawn.
    #[error("cannot draw the sweep: {0}")]
    Drawing(#[from] figures::DrawingError),
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}
