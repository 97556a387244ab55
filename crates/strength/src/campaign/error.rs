//! Errors of setting up or playing a campaign.

use std::path::PathBuf;

use files::OutputError;
use protocol::process::UciProcessError;

use crate::{matches::MatchError, opening::OpeningError, tuning::TuningError};

/// An error before or between the games of a campaign. The reason why a running match ends early is a
/// [`crate::matches::EarlyEnd`].
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum CampaignError {
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The settings of a match, or games that do not fit it.
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Tuning(#[from] TuningError),
    /// The folder of the games.
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(
        "{} is shorter than its journal says ({found} of {expected} bytes): games were removed from it",
        path.display()
    )]
    CutGames {
        path: PathBuf,
        found: u64,
        /// End of the journal's last game, in bytes.
        expected: u64,
    },
    #[error("{}:{line}: not a finished game: {source}", path.display())]
    Journal {
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        source: serde_json::Error,
    },
    #[error(
        "{}:{line}: found the game of line {first} again, expected every game once; remove the line, or name another folder",
        path.display()
    )]
    DoubledGame {
        path: PathBuf,
        /// Number of the second line, from 1.
        line: usize,
        /// Number of the first line, from 1.
        first: usize,
    },
    /// The engine of the levels cannot be started.
    #[error("engine {command}: {source}")]
    Engine { command: String, source: Box<UciProcessError> },
    #[error(
        "{engine} has no {missing}; expected an engine with strength levels (UCI_LimitStrength and a range of UCI_Elo)"
    )]
    NoLevels { engine: String, missing: &'static str },
    #[error("--from: found {from}, expected a level of {engine}, {min} to {max}")]
    NoSuchLevel { from: i64, engine: String, min: i64, max: i64 },
    /// The path of a tuning cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Drawing { path: PathBuf, reason: figures::DrawingError },
}
