//! The legal moves of a position as the endgame tables judge them.

use axum::extract::{Query, State, rejection::QueryRejection};
use chess::{
    Game, MoveReason, Position as _, TableMove, TableOutcome, Tablebases, print_san, print_uci_move,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Answer;
use crate::{
    app::App,
    error::{ApiError, Refusal},
};

/// A position.
#[derive(Debug, Deserialize)]
pub(crate) struct EndgameQuery {
    fen: String,
}

/// A position in the endgame tables.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EndgameView {
    /// Largest number of pieces in a table, kings included; 0 if the server has no tables.
    pieces: usize,
    /// Half-moves since the last capture or pawn move; 100 are a draw by the fifty-move rule.
    halfmoves: u32,
    /// Every legal move, the best first; none if the game is over or the tables do not know the position.
    moves: Vec<EndgameMove>,
    /// Reason why the tables do not know the position, if they do not.
    problem: Option<String>,
}

/// A legal move in the endgame tables, for the side that plays it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EndgameMove {
    /// The move in UCI notation.
    uci: String,
    /// The move in SAN.
    san: String,
    /// Outcome with the current counter of the fifty-move rule.
    outcome: EndgameOutcome,
    /// Half-moves to the next capture, pawn move or mate with best play, this move included (DTZ); `null` if neither side can win.
    distance: Option<u32>,
    /// True if the tables round the distance: it may be one half-move more.
    rounded: bool,
    /// Reason for the outcome or for a distance of one half-move; `null` if only the tables know it.
    reason: Option<EndgameReason>,
}

/// Outcome of a move. A cursed win and a blessed loss take so long that the fifty-move rule makes them draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndgameOutcome {
    Win,
    CursedWin,
    Draw,
    BlessedLoss,
    Loss,
}

/// What can be said about a move besides its outcome; `rounding`: one half-move more than the distance would be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndgameReason {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    FiftyMoves,
    Rounding,
    LastPawn,
    Promotion,
    Capture,
    PawnMove,
}

/// Every legal move of a position in the endgame tables, the best first
#[utoipa::path(
    get, path = "/endgames", params(("fen" = String, Query)),
    responses((status = 200, body = EndgameView), (status = 422, body = Refusal))
)]
pub(crate) async fn moves(
    State(app): State<App>,
    query: Result<Query<EndgameQuery>, QueryRejection>,
) -> Answer<EndgameView> {
    let Query(EndgameQuery { fen }) = query?;
    let game =
        Game::from_any_fen(&fen).map_err(|error| ApiError::invalid("invalid_fen", error.to_string()))?;
    app.answer(move |app| Ok(EndgameView::new(app.config.tables.as_deref(), &game))).await
}

impl EndgameView {
    fn new(tables: Option<&Tablebases>, game: &Game) -> Self {
        let unknown = Self {
            pieces: tables.map_or(0, Tablebases::max_pieces),
            halfmoves: game.position().halfmoves(),
            moves: Vec::new(),
            problem: None,
        };
        let Some(tables) = tables else {
            return Self { problem: Some("the server has no endgame tables".into()), ..unknown };
        };
        match tables.moves(game.position()) {
            Ok(moves) => {
                Self { moves: moves.iter().map(|one| EndgameMove::new(game, one)).collect(), ..unknown }
            }
            Err(gap) => Self { problem: Some(gap.to_string()), ..unknown },
        }
    }
}

impl EndgameMove {
    fn new(game: &Game, one: &TableMove) -> Self {
        let TableMove { chess_move, outcome, distance, is_rounded, reason } = *one;
        Self {
            uci: print_uci_move(chess_move, game.castling_mode()),
            san: print_san(game.position(), chess_move),
            outcome: outcome.into(),
            distance,
            rounded: is_rounded,
            reason: reason.map(EndgameReason::from),
        }
    }
}

impl From<TableOutcome> for EndgameOutcome {
    fn from(outcome: TableOutcome) -> Self {
        match outcome {
            TableOutcome::Win => Self::Win,
            TableOutcome::CursedWin => Self::CursedWin,
            TableOutcome::Draw => Self::Draw,
            TableOutcome::BlessedLoss => Self::BlessedLoss,
            TableOutcome::Loss => Self::Loss,
        }
    }
}

impl From<MoveReason> for EndgameReason {
    fn from(reason: MoveReason) -> Self {
        match reason {
            MoveReason::Checkmate => Self::Checkmate,
            MoveReason::Stalemate => Self::Stalemate,
            MoveReason::InsufficientMaterial => Self::InsufficientMaterial,
            MoveReason::FiftyMoves => Self::FiftyMoves,
            MoveReason::Rounding => Self::Rounding,
            MoveReason::LastPawn => Self::LastPawn,
            MoveReason::Promotion => Self::Promotion,
            MoveReason::Capture => Self::Capture,
            MoveReason::PawnMove => Self::PawnMove,
        }
    }
}
