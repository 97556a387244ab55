//! The interface through which the program supplies networks and searches to the page.

mod calibration;
mod summary;

use std::sync::Arc;

use chess::{
    Evaluator, Game, Search,
    encoding::{InputEncoding, picture::Seen},
};

pub use self::{
    calibration::{CalibrationBin, CalibrationCurve, Expectation, Interval},
    summary::{Level, Measurement, NetworkDetail, NetworkKind, NetworkSummary},
};

/// The available networks and the searches that play with them.
///
/// # Laws
/// 1. Every id in [`Engines::networks`] without a problem opens; every other name is [`EngineError::Unknown`].
/// 2. Calls may come from any thread at any time; opening an already open network is cheap. A network whose file was replaced is
///    opened again.
pub trait Engines: Send + Sync {
    /// The available networks, the default first.
    fn networks(&self) -> Vec<NetworkSummary>;

    /// The settings to play against, weakest first.
    fn levels(&self) -> Vec<Level>;

    /// All details of one network.
    ///
    /// # Errors
    /// [`EngineError::Unknown`]; a network that cannot be read has its problem in the summary.
    fn network(&self, network: &str) -> Result<NetworkDetail, EngineError>;

    /// The input planes that a network reads from a game's last position; `None` if its input has no planes
    /// or the name stands for an evaluator without a network.
    ///
    /// # Errors
    /// [`EngineError`].
    fn planes(&self, network: &str, game: &Game) -> Result<Option<SeenPlanes>, EngineError>;

    /// Compares expected scores with results: the curve of `player`, then the baseline that always expects the mean score.
    /// Empty without expectations.
    fn calibration(&self, player: &str, expectations: &[Expectation]) -> Vec<CalibrationCurve>;

    /// A network's judgement without search.
    ///
    /// # Errors
    /// [`EngineError`].
    fn evaluator(&self, network: &str) -> Result<Arc<dyn Evaluator>, EngineError>;

    /// Hash of a network's content, which is another one when its file has been replaced; `None` for an evaluator without a file.
    ///
    /// # Errors
    /// [`EngineError`].
    fn content(&self, network: &str) -> Result<Option<String>, EngineError>;

    /// A new search with a network.
    ///
    /// # Errors
    /// [`EngineError`].
    fn search(&self, network: &str, settings: &SearchSettings) -> Result<Box<dyn Search>, EngineError>;

    /// Describes a file as a network without keeping it.
    ///
    /// # Errors
    /// [`EngineError::Refused`].
    fn recognise(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError>;

    /// Keeps a file as a network, which is listed from then on. Existing files are never replaced.
    ///
    /// # Errors
    /// [`EngineError::Refused`].
    fn keep(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError>;
}

/// The purpose of a search: decides whether a book may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPurpose {
    /// Moves of a game, which may come from an opening book.
    Game,
    /// Evaluation of a position.
    Analysis,
}

/// How a search of the page chooses its move, apart from its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SearchSettings {
    pub purpose: SearchPurpose,
    /// Temperature of the choice of the move; 0 plays the best move.
    pub temperature: f32,
    /// True if the engine takes about as long per move as people do under a clock.
    pub human_time: bool,
    /// Seed of all random choices.
    pub seed: u64,
    /// Memory limit of the tree, mebibytes.
    pub memory: u32,
    /// Most nodes of the tree that reports list; 0 for none.
    pub branches: u32,
}

impl SearchSettings {
    /// Settings of an analysis: at most `memory` MiB for the tree; reports list at most `branches` nodes of
    /// it.
    pub(crate) fn analysis(memory: u32, branches: u32) -> Self {
        Self {
            purpose: SearchPurpose::Analysis,
            temperature: 0.0,
            human_time: false,
            seed: 0,
            memory,
            branches,
        }
    }
}

/// The evaluator of a network with a value, for callers that compare values.
///
/// # Errors
/// [`EngineError`], for a network without a value too.
pub(crate) fn judge_of(engines: &dyn Engines, network: &str) -> Result<Arc<dyn Evaluator>, EngineError> {
    let evaluator = engines.evaluator(network)?;
    let valueless = || EngineError::NoValue { network: shortened(network) };
    if evaluator.heads().value { Ok(evaluator) } else { Err(valueless()) }
}

/// The input encoding of a network, with the planes of a position.
pub type SeenPlanes = (&'static dyn InputEncoding, Seen);

/// Longest name from a request that an error message repeats, in characters. Chosen: longer than any network's name.
const LONGEST_NAME: usize = 200;

/// The beginning of a name from a request, for error messages.
pub fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

/// A network that cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum EngineError {
    #[error("there is no network {network:?}; GET /api/v1/networks lists the networks")]
    Unknown { network: String },
    #[error("network {network:?} cannot be used: {reason}")]
    Broken { network: String, reason: String },
    #[error("network {network:?} has no value, expected one that has")]
    NoValue { network: String },
    /// A file that was sent is not a network, or cannot be kept.
    #[error("{file} is refused: {reason}")]
    Refused { file: String, reason: String },
}
