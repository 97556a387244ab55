//! The types and traits that every other crate builds on: games with history and endings, win/draw/loss values, the
//! encodings that turn positions and moves into numbers, and the traits [`Evaluator`] and [`Search`].
//!
//! The rules are those of [`shakmaty`], re-exported so that the whole workspace uses one version.
//!
//! # Examples
//! ```
//! use chess::{CastlingMode, Ending, Evaluator, EvaluationRequest, Game, MaterialEvaluator};
//!
//! let mut game = Game::from_fen("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", CastlingMode::Standard)?;
//! let legal = game.legal_moves();
//! let request = EvaluationRequest { game: &game, legal_moves: &legal };
//! let evaluation = MaterialEvaluator.evaluate(&[request])?.remove(0);
//! assert!(evaluation.wdl.expected_score() > 0.5, "a rook up");
//!
//! game.play_san("Ra8#")?;
//! assert_eq!(game.outcome().unwrap().ending, Ending::Checkmate);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod board_view;
pub mod diagram;
pub mod encoding;
pub mod epd;
mod error;
pub mod evaluator;
mod fnv;
pub mod game;
#[cfg(feature = "laws")]
pub mod laws;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod pgn;
pub mod polyglot;
mod printable;
pub mod quiescence;
pub mod search;
mod speed;
pub mod split_mix;
pub mod static_exchange;
pub mod tablebase;
pub mod value;
mod window;

pub use epd::{Epd, Operand, Operation};
pub use error::GameError;
pub use evaluator::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, MaterialEvaluator, PositionEvaluator,
    UniformEvaluator,
};
pub use fnv::Fnv1a;
pub use game::{Game, MOST_MOVES, PlayerRatings, played, plies_before, position_key};
pub use notation::{
    NotationError, legal_san, parse_san, parse_uci_move, print_san, print_uci_move, read_san,
};
pub use outcome::{Ending, FIFTY_MOVES, Outcome, SEVENTY_FIVE_MOVES};
pub use perft::{divide, perft};
pub use polyglot::PolyglotBook;
pub use printable::printable;
pub use search::{
    Branch, Clock, DEFAULT_NODES, Decision, Limits, OptionError, Panicked, PrincipalVariation, RootMove,
    Search, SearchError, SearchInfo, SearchOptions, SearchTrace, StopSignal, Thinker, Thought, TracedBranch,
    TracedMove, Tunable, TunableKind, Value, guarded,
};
pub use shakmaty;
pub use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role, Square};
pub use speed::Speed;
pub use tablebase::{MoveReason, TableGap, TableMove, TableOutcome, TableResult, Tablebases};
pub use value::{Score, Wdl};
pub use window::Window;
