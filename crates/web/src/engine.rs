//! The seam through which the program hands its networks and searches to the page.

use std::sync::Arc;

use chess::{
    Evaluator, Game, Search,
    encoding::{InputEncoding, picture::Seen},
};
use serde::Serialize;
use utoipa::ToSchema;

/// Origin of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkKind {
    /// Built into the program.
    Bundled,
    /// Trained here.
    Own,
    /// A network of lc0.
    Lc0,
    /// A network trained to play like people of a rating.
    Human,
    /// The network of a system that Tabiya reproduces, which plays games with the search of that system.
    System,
    /// An evaluator without a network, to compare with.
    Baseline,
}

/// A measured rating with its interval, games and conditions.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Measurement {
    /// Rating, on the scale of the opponent.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    pub games: u32,
    /// Search settings of the measured player, as text: nodes and temperature.
    pub setting: String,
    /// Opponent and conditions in words.
    pub conditions: String,
}

/// A network in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NetworkSummary {
    /// The name by which requests choose it.
    pub id: String,
    /// The name people see.
    pub name: String,
    /// Origin of the network.
    pub kind: NetworkKind,
    /// Its file; `None` for what is built in.
    pub file: Option<String>,
    /// Size of the file in bytes.
    pub bytes: Option<u64>,
    /// Shape in a word, such as `4x48`.
    pub shape: Option<String>,
    /// Number of trained parameters.
    pub parameters: Option<u64>,
    /// Rating of the people it imitates.
    pub rating: Option<u32>,
    /// Strength, where it was measured.
    pub measurements: Vec<Measurement>,
    /// The reason why it is unusable, if it is.
    pub problem: Option<String>,
}

/// Everything known about one network.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NetworkDetail {
    /// The entry of the network in the list.
    #[serde(flatten)]
    pub summary: NetworkSummary,
    /// Origin as pairs of a name and a text, in the order of the page.
    pub facts: Vec<(String, String)>,
    /// Metrics of its last validation by name.
    pub metrics: Vec<(String, f64)>,
    /// The resolved recipe, TOML; empty if there is none.
    pub recipe: String,
}

/// A setting to play against, offered by name.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Level {
    /// The name people see.
    pub name: String,
    /// The network that plays.
    pub network: String,
    /// Visits of a move.
    pub nodes: u64,
    /// Temperature of the choice; 0 always plays the best move found.
    pub temperature: f32,
    /// Strength, where this very setting was measured.
    pub measurement: Option<Measurement>,
}

/// Purpose of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPurpose {
    /// Moves of a game, which may come from an opening book.
    Game,
    /// Evaluation of a position.
    Analysis,
}

/// Settings of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SearchSettings {
    pub purpose: SearchPurpose,
    /// Temperature of the choice of the move; 0 plays the best.
    pub temperature: f32,
    /// True if the engine takes about as long per move as people do under a clock.
    pub human_time: bool,
    /// Seed of whatever is left to chance.
    pub seed: u64,
    /// Most memory for the tree, mebibytes.
    pub memory: u32,
    /// Most nodes of the tree that reports list; 0 for none.
    pub branches: u32,
}

/// The input encoding of a network, with what it makes of a position.
pub type SeenPlanes = (&'static dyn InputEncoding, Seen);

/// An engine's expected score in a position of a game played here, with the score it then made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The game, by a number of its own; those of one game stand together.
    pub game: usize,
    /// Expected score of the engine, 0 to 1.
    pub expected: f64,
    /// Its score: 0, 1/2 or 1.
    pub score: f64,
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Interval {
    /// Point estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
    /// Number of observations.
    pub samples: u64,
}

/// Expected scores of a range with what was scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct CalibrationBin {
    /// Lower end of the expected scores in it.
    pub from: f64,
    /// Upper end of the range.
    pub to: f64,
    /// Mean expected score in the range, 0 to 1.
    pub expected: f64,
    /// Mean score; games, not positions, count as independent.
    pub scored: Interval,
}

/// Agreement of expected scores with results.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CalibrationCurve {
    /// The player whose expectations are compared with results.
    pub player: String,
    /// The ranges that hold positions, lowest first.
    pub bins: Vec<CalibrationBin>,
    /// Mean of (expected - scored)^2.
    pub brier: Interval,
    /// Mean distance of expected and scored over the bins, weighted by positions.
    pub error: Interval,
}

/// A network that cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum EngineError {
    /// No network has this name.
    #[error("there is no network {network:?}; GET /api/v1/networks lists those there are")]
    Unknown { network: String },
    /// The network cannot be opened.
    #[error("network {network:?} cannot be used: {reason}")]
    Broken {
        network: String,
        /// Description of what was found and what was expected.
        reason: String,
    },
    /// A file that was sent is not a network, or cannot be kept.
    #[error("{file} is refused: {reason}")]
    Refused {
        file: String,
        /// Description of what was found and what was expected.
        reason: String,
    },
}

/// The networks at hand and the searches that play with them.
///
/// # Laws
/// 1. Every id in [`Engines::networks`] without a problem opens; every other name is [`EngineError::Unknown`].
/// 2. Calls may come from any thread at any time; opening an already open network is cheap.
pub trait Engines: Send + Sync {
    /// The networks at hand, the default first.
    fn networks(&self) -> Vec<NetworkSummary>;

    /// The settings to play against, weakest first.
    fn levels(&self) -> Vec<Level>;

    /// All about one network.
    ///
    /// # Errors
    /// [`EngineError::Unknown`]; a network that cannot be read has its problem in the summary.
    fn network(&self, network: &str) -> Result<NetworkDetail, EngineError>;

    /// The input planes that a network reads from a game's last position; `None` if it reads something else or the name stands
    /// for an evaluator without a network.
    ///
    /// # Errors
    /// [`EngineError`].
    fn planes(&self, network: &str, game: &Game) -> Result<Option<SeenPlanes>, EngineError>;

    /// Compares expected scores with results: the curve of `player`, then the baseline that always expects the mean score.
    /// Empty without expectations.
    fn calibration(&self, player: &str, expectations: &[Expectation]) -> Vec<CalibrationCurve>;

    /// A network's bare judgement.
    ///
    /// # Errors
    /// [`EngineError`].
    fn evaluator(&self, network: &str) -> Result<Arc<dyn Evaluator>, EngineError>;

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

    /// Keeps a file as a network, which is listed from then on. No file that exists is replaced.
    ///
    /// # Errors
    /// [`EngineError::Refused`].
    fn keep(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError>;
}
