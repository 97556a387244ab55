//! Errors of labelling positions and generating games.

use std::path::PathBuf;

use chess::{EvaluatorError, GameError, SearchError};
use dataset::{DatasetError, sample::SampleError};
use files::OutputError;
use player::OpenError;
use protocol::UciProcessError;
use strength::PlayerError;

/// An error of labelling or generation.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum LabellingError {
    /// The player cannot label positions, at all or with these settings.
    #[error("engine {player}: {problem}")]
    Unsuitable {
        /// The player as it was requested.
        player: String,
        problem: String,
    },
    /// A network or a search option cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Process(#[from] UciProcessError),
    /// A player of generated games.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A failed evaluation of a network without a search.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// A search on a network.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A move that a player chose.
    #[error(transparent)]
    Move(#[from] GameError),
    #[error("{engine} gave no evaluation of {fen}; expected one of every position")]
    NoEvaluation { engine: String, fen: String },
    #[error("no legal move in {fen}")]
    NoMove { fen: String },
    #[error("stopped before the first position")]
    Stopped,
    /// The position whose label failed.
    #[error("cannot label {fen}: {source}")]
    Position { fen: String, source: Box<LabellingError> },
    /// A worker was replaced after a failure, and the new one failed at the same task.
    #[error("the engine failed twice at the same work: {0}")]
    FailedTwice(Box<LabellingError>),
    /// A store or a file of games.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A sample of a store that is not a position.
    #[error(transparent)]
    Sample(#[from] SampleError),
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A line of a journal of labels, or labels that cannot be written as one.
    #[error("{}:{line}: not the labels of a session ({source}); name another output", path.display())]
    Journal {
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        source: serde_json::Error,
    },
    #[error("{}:{line}: found session {session} again, expected each session once", path.display())]
    DoubledSession {
        path: PathBuf,
        /// Number of the second line, from 1.
        line: u64,
        session: u32,
    },
    #[error(
        "{}:{line}: found labels of session {session} that were changed, or that another labelling or an older version made; remove \
         the line, and its positions are labelled again",
        path.display()
    )]
    OtherLabels {
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        session: u32,
    },
    /// A file of generated games holds something else.
    #[error("{}: found {found}, expected {expected}", path.display())]
    GameFile { path: PathBuf, found: String, expected: &'static str },
    #[error("{} holds no position to start from", path.display())]
    NoStarts { path: PathBuf },
    #[error("{fen}: found no {plies} random plies that do not end the game")]
    NoRandomPlies { plies: u32, fen: String },
    #[error(
        "{repeated} games in a row were already in the file, which has {games} of {wanted} games (more openings, random \
         plies or slips give more different games)"
    )]
    Repeated { repeated: u64, games: u64, wanted: u64 },
}
