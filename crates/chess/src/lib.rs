//! The vocabulary every other crate speaks: games with their history and endings, win/draw/loss values, the encodings
//! that turn positions and moves into numbers, and the two traits (`Evaluator`, `Search`) between which an engine lives.
//!
//! Rules come from [`shakmaty`], re-exported here so that one version serves the whole workspace.

pub mod encoding;
pub mod evaluator;
pub mod game;
pub mod laws;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod pgn;
pub mod search;
pub mod strength_table;
pub mod tablebase;
pub mod value;

pub use evaluator::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, MaterialEvaluator, UniformEvaluator,
};
pub use game::{Game, GameError, position_key};
pub use notation::{Epd, NotationError, parse_san, parse_uci_move, print_san, print_uci_move};
pub use outcome::{Ending, Outcome};
pub use perft::{divide, perft};
pub use search::{
    Branch, Clock, Decision, Kind, Limits, OptionError, OptionType, PrincipalVariation, RootMove, Search,
    SearchError, SearchInfo, SearchOptions, SearchTrace, StopSignal, TracedBranch, TracedMove, Tunable,
    Value,
};
pub use shakmaty;
pub use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role, Square};
pub use strength_table::{StrengthLevel, StrengthSetting, StrengthTable, StrengthTableError};
pub use tablebase::{TableResult, Tablebases};
pub use value::{Score, Wdl};
