//! Errors of self-play and REINFORCE runs.

use std::fmt::Display;

use strength::PlayerError;

use crate::learning_loop::AnyError;

/// Why games have no grades.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum GradingError {
    #[error(transparent)]
    Player(#[from] PlayerError),
    #[error("{engine} gave no score in {fen}: a grader must score every position")]
    NoScore { engine: String, fen: String },
}

/// An error of a self-play or REINFORCE run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum RunError {
    #[error(transparent)]
    Network(#[from] network::NetworkError),
    #[error(transparent)]
    Training(#[from] training::TrainingError),
    #[error(transparent)]
    Evaluator(#[from] chess::EvaluatorError),
    #[error(transparent)]
    Grading(#[from] GradingError),
    #[error(transparent)]
    Opening(#[from] strength::opening::OpeningError),
    /// The match between two networks.
    #[error(transparent)]
    Campaign(#[from] strength::campaign::CampaignError),
    /// A match that broke off.
    #[error(transparent)]
    EarlyEnd(#[from] strength::matches::EarlyEnd),
    #[error(transparent)]
    File(#[from] files::OutputError),
    /// Something is not what was expected.
    #[error("{0}")]
    Unexpected(String),
    /// Something failed in a section, a file or a step.
    #[error("{place}")]
    At { place: String, source: AnyError },
}

impl RunError {
    /// Adds the place of an error.
    pub(crate) fn at<E: Into<AnyError>>(place: impl Display) -> impl FnOnce(E) -> Self {
        move |error| Self::At { place: place.to_string(), source: error.into() }
    }
}
