//! Errors of experiments.

use std::{error::Error, fmt::Display};

use files::OutputError;
use player::SpecificationError;
use regression::RegressionError;
use training::TrainingError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ExperimentError {
    /// The recipe of a network is not valid.
    #[error(transparent)]
    Network(#[from] TrainingError),
    /// The recipe of learners is not valid.
    #[error(transparent)]
    Learners(#[from] RegressionError),
    /// The recipe describes no player.
    #[error(transparent)]
    Player(#[from] SpecificationError),
    #[error(transparent)]
    File(#[from] OutputError),
    /// A section, a command or a result is not what was expected.
    #[error("{0}")]
    Unexpected(String),
    /// Something failed in a section, a step or a file.
    #[error("{place}")]
    At { place: String, source: Box<dyn Error + Send + Sync> },
}

impl ExperimentError {
    /// Adds the place of an error.
    pub(crate) fn at<E: Into<Box<dyn Error + Send + Sync>>>(place: impl Display) -> impl FnOnce(E) -> Self {
        move |error| Self::At { place: place.to_string(), source: error.into() }
    }
}
