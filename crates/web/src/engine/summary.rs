//! Networks and levels as the page lists them, with their measured strength.

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
