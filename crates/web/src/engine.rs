//! Networks, levels and searches as the page sees them, apart from where they come from.

use std::{fmt::Display, sync::Arc};

use chess::{
    Evaluator, Game, Search,
    encoding::{InputEncoding, picture::Seen},
};
use player::PlayerRating;
use serde::Serialize;
use strength::{StrengthLevel, StrengthTable};
use utoipa::ToSchema;

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
#[allow(missing_docs, reason = "self-explanatory fields")]
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

impl Measurement {
    /// The measured rating of a level, with its conditions.
    pub(crate) fn of_level(table: &StrengthTable, level: &StrengthLevel) -> Self {
        let setting = level.setting;
        let setting = if let Some(rating) = setting.imitated {
            format!("moves of people rated {rating}, temperature {}", setting.temperature)
        } else {
            let unit = if setting.nodes == 1 { "node" } else { "nodes" };
            format!("{} {unit}, temperature {}", setting.nodes, setting.temperature)
        };
        Self {
            elo: level.elo.round(),
            low: level.lower.round(),
            high: level.upper.round(),
            games: u32::try_from(level.games).unwrap_or(u32::MAX),
            setting,
            conditions: table.conditions.clone(),
        }
    }
}

/// The measured rating of a network with one search.
impl From<PlayerRating> for Measurement {
    fn from(rating: PlayerRating) -> Self {
        Self {
            elo: rating.elo.round(),
            low: rating.lower.round(),
            high: rating.upper.round(),
            games: u32::try_from(rating.games).unwrap_or(u32::MAX),
            setting: rating.setting,
            conditions: rating.conditions,
        }
    }
}

/// A network in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NetworkSummary {
    /// Its id in requests.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Origin of the network.
    pub kind: NetworkKind,
    /// Its file; `null` if it is built in.
    pub file: Option<String>,
    /// Size of the file in bytes.
    pub bytes: Option<u64>,
    /// Shape in a word, such as `4x48`.
    pub shape: Option<String>,
    /// Number of trained parameters.
    pub parameters: Option<u64>,
    /// Rating of the people it imitates; a network whose input is a rating, such as Maia-3's, has an entry for each.
    pub rating: Option<u32>,
    /// Strength, if it was measured.
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
    /// Its layers in the order of computation; empty for ONNX files and for evaluators without a network.
    pub layers: Vec<NetworkLayer>,
    /// Metrics of its last validation by name.
    pub metrics: Vec<(String, f64)>,
    /// The resolved recipe, TOML; empty if there is none.
    pub recipe: String,
}

/// A layer of a network.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NetworkLayer {
    /// Its path in the recipe, such as `block0.first`.
    pub name: String,
    /// What it computes, such as `convolution 3x3`.
    pub layer: String,
    /// The shape of its output for one position; in a sparse network, the shape of its matrix.
    pub shape: String,
    /// Number of its trained parameters.
    pub parameters: u64,
}

/// A named setting to play against.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Level {
    /// Display name.
    pub name: String,
    /// The network that plays.
    pub network: String,
    /// Visits per move.
    pub nodes: u64,
    /// Temperature of the choice; 0 always plays the best move found.
    pub temperature: f32,
    /// Strength, if this setting was measured.
    pub measurement: Option<Measurement>,
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
#[allow(missing_docs, reason = "self-explanatory fields")]
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
    if evaluator.heads().value {
        Ok(evaluator)
    } else {
        Err(EngineError::NoValue { network: shortened(network) })
    }
}

/// The input encoding of a network, with the planes of a position.
pub type SeenPlanes = (&'static dyn InputEncoding, Seen);

/// Longest name from a request that an error message repeats, in characters. Chosen: longer than any network's name.
const LONGEST_NAME: usize = 200;

/// The beginning of a name from a request, for error messages.
pub(crate) fn shortened(name: &str) -> String {
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

impl EngineError {
    pub(crate) fn broken(network: &str, reason: impl Display) -> Self {
        Self::Broken { network: shortened(network), reason: reason.to_string() }
    }

    pub(crate) fn refused(file: &str, reason: impl Display) -> Self {
        Self::Refused { file: shortened(file), reason: reason.to_string() }
    }
}
