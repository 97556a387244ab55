//! A move in 16 bits: the columns `best_move` and `played_move` of a sample store.
//!
//! Bits 0..6 are the square moved from, 6..12 the square moved to (a1 = 0, h8 = 63), 12..15 the promotion (0 none,
//! 1 knight, 2 bishop, 3 rook, 4 queen). Castling is written as the king taking its own rook, which also works for
//! Chess960.

use chess::{Chess, Move, Position, Role, Square};
use serde::{Deserialize, Serialize};

/// A move in the layout of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PackedMove(pub u16);

impl PackedMove {
    /// Packs a move of standard chess or Chess960.
    pub fn pack(chess_move: Move) -> Self {
        let from = chess_move.from().map_or(0, |square| square as u16);
        let promotion = chess_move.promotion().map_or(0, |role| role as u16 - 1);
        Self(from | (chess_move.to() as u16) << 6 | promotion << 12)
    }

    /// This move on a board with reversed files.
    #[must_use]
    pub fn mirrored(self) -> Self {
        const FILES: u16 = 7 | 7 << 6;
        Self(self.0 ^ FILES)
    }

    /// The legal move of `position` that these bits mean, if there is one.
    pub fn unpack(self, position: &Chess) -> Option<Move> {
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from(self.0 >> 6 & 63));
        let promotion = match self.0 >> 12 {
            0 => None,
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => return None,
        };
        // Sixteen bits say nothing about the piece or the capture: the kind of move follows from the board. A king that moves onto its own
        // rook castles; a pawn that changes files without taking anything on its square captures en passant.
        let board = position.board();
        let role = board.role_at(from)?;
        let chess_move = if role == Role::King && board.piece_at(to) == Some(position.turn().rook()) {
            Move::Castle { king: from, rook: to }
        } else if role == Role::Pawn && from.file() != to.file() && board.role_at(to).is_none() {
            Move::EnPassant { from, to }
        } else {
            Move::Normal { role, from, capture: board.role_at(to), to, promotion }
        };
        // Promotion bits on a move that cannot carry them would otherwise be dropped here.
        (Self::pack(chess_move) == self && position.is_legal(chess_move)).then_some(chess_move)
    }
}
