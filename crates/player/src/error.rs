//! Errors of this crate.

use std::path::PathBuf;

use chess::{EvaluatorError, OptionError, polyglot::BookError};
use network::NetworkError;
use network::nnue::NnueError;
use protocol::process::UciProcessError;
use regression::RegressionError;
use search::UnknownSearch;
use strength::{matches::PaceError, strength_table::StrengthTableError};

/// Errors of opening a network, a search or a level.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum OpenError {
    /// A weights file or its precision.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A missing file, with a hint at similar names.
    #[error("{error}; {hint}")]
    Missing { error: Box<OpenError>, hint: String },
    #[error("the network {name} in this program: {error}")]
    Bundled { name: &'static str, error: NetworkError },
    #[error(transparent)]
    Nnue(#[from] NnueError),
    #[error(transparent)]
    Learners(#[from] RegressionError),
    /// The network that learners are mixed with.
    #[error("{file}: its network {network}: {error}")]
    Blend { file: PathBuf, network: String, error: Box<OpenError> },
    #[error(
        "{file}: its network {network}: found the hash {found}, expected {expected}: this is another network, not the one used in training"
    )]
    OtherBlend { file: PathBuf, network: String, found: String, expected: String },
    #[error("{0}: found an empty name next to a plus sign, expected networks as A+B")]
    EmptyName(String),
    /// The name of an evaluator that is a UCI engine.
    #[error("{net}: {error}")]
    Judge { net: String, error: Box<SpecificationError> },
    /// A UCI engine that does not start or does not answer.
    #[error("{net}: {error}")]
    Engine { net: String, error: Box<UciProcessError> },
    #[error(
        "{engine}: {name} wrote no network to {path} ({error}); expected an engine that knows `export_net`, such as Stockfish 15.1"
    )]
    NoExport { engine: String, name: String, path: PathBuf, error: std::io::Error },
    #[error("the network {net} cannot be used: {error}")]
    Unusable { net: String, error: EvaluatorError },
    #[error("cannot read {path}: {error}")]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{name}={value}: {error}")]
    Option { name: String, value: String, error: OptionError },
    #[error("{name}={folders}: {problems}")]
    Tables {
        /// The option's name as given.
        name: String,
        folders: String,
        /// The fault of each, separated by semicolons.
        problems: String,
    },
    #[error("{name}={file}: {error}")]
    Book {
        /// The option's name as given.
        name: String,
        file: String,
        error: BookError,
    },
    #[error("OwnBook=true: found no BookFile=FILE, expected one")]
    NoBook,
    #[error("BookFile has no effect without OwnBook=true")]
    UnusedBook,
    /// A file that is not a strength table.
    #[error("{file}: {error}")]
    StrengthTable { file: PathBuf, error: StrengthTableError },
    #[error(
        "{file}: found the strength of a network with the hash {found}, expected {expected}; measure again with `tabiya \
         calibrate {net}` or remove the file"
    )]
    OtherStrength { file: PathBuf, found: String, expected: String, net: String },
    /// A measured level that cannot be played.
    #[error("level {level}: {error}")]
    Level { level: String, error: Box<SpecificationError> },
    /// A file that is not the rating of the network next to it.
    #[error(
        "{file}: found {found}, expected {expected}; measure again with `tabiya ladder --keep` or remove the file"
    )]
    Rating { file: PathBuf, found: String, expected: String },
    #[error("the strength of {net} was not measured; `tabiya calibrate` measures it")]
    Unmeasured { net: String },
    #[error("found {elo}, expected {low} to {high}, the range measured for {net}")]
    EloRange { elo: u16, low: i32, high: i32, net: String },
    #[error("does not use a search of Tabiya; expected net=PATH or default")]
    NoSearch,
    #[error("tc is a clock for a game; positions need nodes, depth or movetime")]
    ClockWithoutGame,
    #[error("player {player}: {error}")]
    Player { player: String, error: Box<OpenError> },
}

impl OpenError {
    /// A UCI engine, by the name in the player's text, that cannot be used.
    pub(crate) fn engine(net: &str, error: UciProcessError) -> Self {
        Self::Engine { net: net.into(), error: Box::new(error) }
    }
}

/// Errors in the text that names a player.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum SpecificationError {
    #[error("begins with {found:?}; expected one of {known}")]
    Kind { found: String, known: String },
    /// `NAME-search` of a network without a value.
    #[error("{0} has no value to search with; expected {0} alone, or another system with a search")]
    NothingToSearch(&'static str),
    #[error("found {found:?}, expected KEY=VALUE with one of {known}")]
    NoKey {
        /// The part without `=`.
        found: String,
        known: String,
    },
    #[error("unknown key {found:?}; expected one of {known}")]
    UnknownKey { found: String, known: String },
    #[error("{key} is for {kinds}; this player has none")]
    WrongKind { key: &'static str, kinds: &'static str },
    #[error(
        "found {found}, expected a closing quote before a comma or the end (a quote inside is written twice)"
    )]
    Quote { found: String },
    #[error("{0}: the value is missing")]
    NoValue(String),
    #[error("{0} is given twice")]
    Twice(String),
    #[error("{key}: found {found:?}, expected {expected}")]
    Number { key: String, found: String, expected: &'static str },
    #[error(transparent)]
    Pace(#[from] PaceError),
    /// A search that does not exist.
    #[error(transparent)]
    Search(#[from] UnknownSearch),
    /// A number format that does not exist.
    #[error("precision: {0}")]
    Precision(String),
    #[error("this player does not search: nodes, depth, movetime and tc do not apply")]
    NoLimits,
    #[error("this player has no options")]
    NoOptions,
    #[error(
        "an engine that evaluates needs a limit that does not depend on time (nodes or depth), and takes no name"
    )]
    NotOfJudge,
    #[error("a UCI engine needs one of nodes, depth, movetime, tc")]
    Unlimited,
    #[error("option.UCI_Elo has no effect at full strength: add option.UCI_LimitStrength=true")]
    FullStrength,
    #[error("cannot read the recipe {file}: {error}")]
    ReadRecipe { file: PathBuf, error: std::io::Error },
    /// A recipe that is not TOML, or has unknown keys in `[search]`.
    #[error("{file}: {error}")]
    Recipe { file: PathBuf, error: toml::de::Error },
    #[error("{0}: found no name for the run")]
    NoName(PathBuf),
    /// The `[search]` of a recipe names no player.
    #[error("[search]: player {player}: {error}")]
    SearchSection {
        /// The player as the section describes it.
        player: String,
        error: Box<SpecificationError>,
    },
    /// The options in the `[search]` of a recipe cannot be used.
    #[error("[search]: {0}")]
    SearchOptions(Box<OpenError>),
}
