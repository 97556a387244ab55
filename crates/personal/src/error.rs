//! Errors about a person's games.

use std::path::PathBuf;

use chess::EvaluatorError;
use dataset::DatasetError;
use files::OutputError;

use crate::PERSON_FILE;

/// An error about a [`PersonalStore`](crate::PersonalStore).
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum PersonalError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The network that is measured.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    #[error(
        "{}: found no held-out move after the first {} half-moves, expected some to measure on",
        path.display(),
        strength::metrics::human::OPENING_PLIES
    )]
    NothingHeldOut { path: PathBuf },
    #[error(
        "{}: found {found} positions before the training, expected the {expected} that are held out now",
        PERSON_FILE
    )]
    OtherPositions {
        /// Positions measured before the training.
        found: usize,
        expected: usize,
    },
    /// `personal.json` or a game is damaged, of another version, or another person's.
    #[error("{}: found {found}, expected {expected}", path.display())]
    Damaged { path: PathBuf, found: String, expected: String },
    #[error(
        "{} holds no personal games: expected a folder made by `tabiya data personal add GAMES --player NAME`",
        path.display()
    )]
    NoPersonalStore { path: PathBuf },
    #[error("{}: found no player {player:?} in {games} games, expected one of its players: {known}", path.display())]
    NoSuchPlayer {
        path: PathBuf,
        player: String,
        games: u64,
        /// The names that occur most often.
        known: String,
    },
    #[error(
        "{}: a training is reading these samples, which go when games are removed and are made again after games were added; wait for \
         it to end, or stop it",
        path.display()
    )]
    InUse { path: PathBuf },
    #[error("{}: found {found}, expected at least {expected} games, of which some are held out to measure on", path.display())]
    TooFewGames { path: PathBuf, found: String, expected: usize },
}
