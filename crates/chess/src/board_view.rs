//! The board as bitboards in the mover's view, mirrored so that the mover's king stands on files a to d.

use shakmaty::{Bitboard, Chess, Color, Position, Role, Square, attacks};

/// Pawn, knight, bishop, rook, queen, king: the order of [`BoardView::roles`] and of every index derived from
/// it.
pub(crate) const ROLES: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// The place of a role in [`ROLES`].
pub(crate) const PAWN: usize = 0;
/// Index of the knights; see [`PAWN`].
pub(crate) const KNIGHT: usize = 1;
/// Index of the bishops; see [`PAWN`].
pub(crate) const BISHOP: usize = 2;
/// Index of the rooks; see [`PAWN`].
pub(crate) const ROOK: usize = 3;
/// Index of the queens; see [`PAWN`].
pub(crate) const QUEEN: usize = 4;
/// Index of the king; see [`PAWN`].
pub(crate) const KING: usize = 5;

/// Pieces by role and side. Side 0 is the mover, whose pawns move up; bit 0 is a1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoardView {
    /// Pieces of both sides by role, in the order of [`ROLES`].
    pub(crate) roles: [u64; 6],
    /// Pieces by side, the mover's first.
    pub(crate) sides: [u64; 2],
    /// XOR mask that turns a square of the board into a square of this view: ranks flip for Black, files if the
    /// mover's king stands on files e to h.
    flip: u8,
}

impl BoardView {
    /// The view of a position's mover.
    pub(crate) fn new(position: &Chess) -> Self {
        let (board, mover) = (position.board(), position.turn());
        let mut view = Self {
            roles: ROLES.map(|role| board.by_role(role).0),
            sides: [board.by_color(mover).0, board.by_color(!mover).0],
            flip: 0,
        };
        if mover.is_black() {
            view.turn(u64::swap_bytes, 0b111_000);
        }
        if view.own_king() % 8 > 3 {
            view.turn(mirrored, 0b000_111);
        }
        view
    }

    fn turn(&mut self, turned: impl Fn(u64) -> u64, flip: u8) {
        self.roles.iter_mut().chain(&mut self.sides).for_each(|board| *board = turned(*board));
        self.flip ^= flip;
    }

    /// The square of this view for a square of the board.
    pub(crate) fn square(&self, square: Square) -> usize {
        usize::from(square) ^ usize::from(self.flip)
    }

    /// Occupied squares of both sides.
    pub(crate) fn occupied(&self) -> u64 {
        self.sides[0] | self.sides[1]
    }

    /// The square of the mover's king, which every legal position has.
    pub(crate) fn own_king(&self) -> usize {
        self.king(0)
    }

    /// The square of a side's king.
    pub(crate) fn king(&self, side: usize) -> usize {
        (self.roles[KING] & self.sides[side]).trailing_zeros() as usize & 63
    }

    /// The role on a square, whichever side the piece belongs to.
    pub(crate) fn role_at(&self, square: usize) -> Option<usize> {
        self.roles.iter().position(|role| role >> square & 1 == 1)
    }

    /// Calls `each` with every piece: its kind, 0 to 5 for the mover's and 6 to 11 for the opponent's, and its square.
    #[inline]
    pub(crate) fn for_each_piece(&self, mut each: impl FnMut(usize, usize)) {
        for (side, own) in self.sides.into_iter().enumerate() {
            for (role, pieces) in self.roles.into_iter().enumerate() {
                squares(pieces & own, |square| each(6 * side + role, square));
            }
        }
    }

    /// The squares that the pieces of each kind attack, including those that hold own pieces.
    #[inline]
    pub(crate) fn attacks(&self) -> [u64; 12] {
        let occupied = self.occupied();
        let mut found = [0; 12];
        self.for_each_piece(|kind, square| found[kind] |= attacks_of(kind, square, occupied));
        found
    }
}

/// The squares that a piece of a kind (see [`BoardView::for_each_piece`]) attacks.
#[inline]
pub(crate) fn attacks_of(kind: usize, square: usize, occupied: u64) -> u64 {
    let (from, occupied) = (Square::new(square as u32), Bitboard(occupied));
    let found = match kind % 6 {
        PAWN => attacks::pawn_attacks(if kind < 6 { Color::White } else { Color::Black }, from),
        KNIGHT => attacks::knight_attacks(from),
        BISHOP => attacks::bishop_attacks(from, occupied),
        ROOK => attacks::rook_attacks(from, occupied),
        QUEEN => attacks::queen_attacks(from, occupied),
        _ => attacks::king_attacks(from),
    };
    found.0
}

/// Calls `each` with every square of a bitboard, starting from a1.
#[inline]
pub(crate) fn squares(mut board: u64, mut each: impl FnMut(usize)) {
    while board != 0 {
        each(board.trailing_zeros() as usize);
        board &= board - 1;
    }
}

/// Mirrors the files: a to h become h to a.
fn mirrored(board: u64) -> u64 {
    board.swap_bytes().reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CastlingMode, Game};

    #[test]
    fn black_is_turned_and_a_king_on_the_right_mirrored() {
        let view =
            |fen: &str| BoardView::new(Game::from_fen(fen, CastlingMode::Standard).unwrap().position());
        let queenside = view("k7/7p/8/8/8/8/8/2K5 w - - 0 1");
        assert_eq!((queenside.own_king(), queenside.king(1)), (2, 56));
        let black = view("k7/7p/8/8/8/8/8/2K5 b - - 0 1");
        assert_eq!((black.own_king(), black.king(1), black.roles[PAWN]), (0, 58, 1 << 15));
        let right = view("5k2/8/8/8/8/8/8/6KR b - - 0 1");
        assert_eq!((right.own_king(), right.king(1), right.square(Square::H1)), (2, 57, 56));
        assert_eq!(right.role_at(56), Some(ROOK));
    }
}
