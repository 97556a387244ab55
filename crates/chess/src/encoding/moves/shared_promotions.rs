//! Origin times target with one index for all promotions of a pawn.

use shakmaty::{Chess, Color, Move, Position, Role};

use super::{MoveEncoding, geometry::king_step_on_board};
use crate::encoding::LawBreak;

/// The square with number 0, and so the view of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedView {
    /// a1, whichever side moves (COGS188).
    White,
    /// a1 for White, h8 for Black: the board is turned by 180 degrees (Chess MLX CNN).
    Turned,
    /// a8, whichever side moves (Knights and Kernels).
    WhiteFromTheTop,
}

/// `cogs188-4096`, `mlx-4096`, `knights-4096`: `origin * 64 + target`, for all promotions. Castling is the king's step.
///
/// Decoding a promotion gives the knight: these programs listed the pieces as queen, rook, bishop, knight, and the last
/// one replaced the others.
#[derive(Clone, Copy, Debug)]
pub struct SharedPromotions4096 {
    /// The view in which squares are numbered.
    pub view: SharedView,
}

const SHARED: LawBreak = LawBreak { law: 1, reason: "the four promotions of a pawn share an index" };
const KNIGHTS: LawBreak = LawBreak { law: 2, reason: "the index of a promotion decodes to the knight" };
const WHITE: LawBreak = LawBreak { law: 3, reason: "White's view, whoever moves" };
const TURNED: LawBreak =
    LawBreak { law: 3, reason: "a turned board is not a chess symmetry: Black's e7e5 has the index of d2d4" };

impl SharedPromotions4096 {
    /// The number of a square (0 = a1 .. 63 = h8 on the board) in this view.
    fn number(self, square: usize, turn: Color) -> usize {
        match self.view {
            SharedView::Turned if turn == Color::Black => 63 - square,
            SharedView::White | SharedView::Turned => square,
            SharedView::WhiteFromTheTop => square ^ 0b111_000,
        }
    }
}

impl MoveEncoding for SharedPromotions4096 {
    fn name(&self) -> &'static str {
        match self.view {
            SharedView::White => "cogs188-4096",
            SharedView::Turned => "mlx-4096",
            SharedView::WhiteFromTheTop => "knights-4096",
        }
    }

    fn size(&self) -> usize {
        64 * 64
    }

    fn breaks(&self) -> &'static [LawBreak] {
        match self.view {
            SharedView::White | SharedView::WhiteFromTheTop => &[SHARED, KNIGHTS, WHITE],
            SharedView::Turned => &[SHARED, KNIGHTS, TURNED],
        }
    }

    fn index(&self, position: &Chess, chess_move: Move) -> usize {
        let (from, to) = king_step_on_board(position, chess_move);
        self.number(from, position.turn()) * 64 + self.number(to, position.turn())
    }

    fn decode(&self, position: &Chess, index: usize) -> Option<Move> {
        let found = position.legal_moves().into_iter().filter(|&one| self.index(position, one) == index);
        found.max_by_key(|one| one.promotion() == Some(Role::Knight))
    }
}
