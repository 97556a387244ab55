use std::path::PathBuf;

use network::NetworkError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// A recipe, a network or a file that cannot be used, or samples that do not fit the network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The sample store could not be opened or read.
    #[error(transparent)]
    Store(#[from] dataset::DatasetError),
    /// The labelling network of `[stream]` is of another shape than Stockfish 15.1's, or damaged.
    #[error("stream.network: {0}")]
    Labels(#[from] network::nnue::NnueError),
    /// There are too few samples for the run or the measurement.
    #[error("data: {0}")]
    Data(String),
    /// The run cannot start or continue.
    #[error("training: {0}")]
    Run(String),
    /// The loss curves could not be drawn.
    #[error("cannot draw the curves {path}: {reason}")]
    #[expect(missing_docs, reason = "the message says what the fields are")]
    Drawing { path: PathBuf, reason: figures::DrawingError },
}
