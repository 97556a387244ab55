//! A move as the page sees it.

use chess::{Game, print_san, print_uci_move};
use serde::Serialize;
use utoipa::ToSchema;

use crate::game::record::GameRecord;

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct MoveView {
    /// The move in UCI notation; castling as the king's two steps, in Chess960 as the king taking its rook.
    #[schema(example = "e2e4")]
    pub(crate) uci: String,
    /// The move in SAN.
    #[schema(example = "e4")]
    pub(crate) san: String,
    /// Milliseconds spent on it.
    pub(crate) elapsed_ms: u64,
    /// Milliseconds left on the mover's clock.
    pub(crate) clock_ms: Option<u64>,
}

impl MoveView {
    pub(super) fn all(record: &GameRecord, game: &Game) -> Vec<Self> {
        let played = game.history().iter().zip(game.moves()).zip(&record.moves);
        played
            .map(|((before, &chess_move), kept)| Self {
                uci: print_uci_move(chess_move, game.castling_mode()),
                san: print_san(&before.position, chess_move),
                elapsed_ms: kept.elapsed_ms,
                clock_ms: kept.clock_ms,
            })
            .collect()
    }
}
