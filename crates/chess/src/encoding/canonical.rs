//! lc0's canonical orientation: positions that differ by a symmetry of the board alone become one (`ChooseTransform` of lc0's
//! `src/neural/encoder.cc`).

use shakmaty::{Board, Chess, Color, Position as _};

use crate::encoding::input::viewed;

/// A symmetry of the board: files reversed, ranks reversed, then ranks and files exchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Symmetry {
    files: bool,
    ranks: bool,
    diagonal: bool,
}

/// Squares of the lower right quarter, as the mover sees the board, above the diagonal from h1, and those on it.
const ABOVE_DIAGONAL: u64 = 0xE0C0_8000;
const DIAGONAL: u64 = 0x1020_4080;
/// Files a to d, and ranks 5 to 8.
const LEFT_HALF: u64 = 0x0F0F_0F0F_0F0F_0F0F;
const UPPER_HALF: u64 = 0xFFFF_FFFF_0000_0000;

impl Symmetry {
    /// The symmetry of a position. Where somebody may castle there is none; where there are pawns only files can be reversed; otherwise the
    /// mover's king comes to the lower right, below the diagonal.
    pub(super) fn of(position: &Chess) -> Self {
        let mut symmetry = Self::default();
        if position.castles().any() {
            return symmetry;
        }
        let (board, mover) = (position.board(), position.turn());
        let king = viewed((board.kings() & board.by_color(mover)).0, mover);
        symmetry.files = king & LEFT_HALF != 0;
        if board.pawns().any() {
            return symmetry;
        }
        symmetry.ranks = symmetry.apply(king) & UPPER_HALF != 0;
        let king = symmetry.apply(king);
        symmetry.diagonal = king & ABOVE_DIAGONAL != 0
            || king & DIAGONAL != 0 && symmetry.is_smaller_across_diagonal(board, mover);
        symmetry
    }

    /// For a king on the diagonal: true if all pieces, or else the first group of them that is not its own image, are a greater number than
    /// their image.
    fn is_smaller_across_diagonal(self, board: &Board, mover: Color) -> bool {
        let groups = [
            board.occupied(),
            board.by_color(mover),
            board.kings(),
            board.queens(),
            board.rooks(),
            board.knights(),
            board.bishops(),
        ];
        let differing = groups.into_iter().map(|group| self.apply(viewed(group.0, mover)));
        let mut differing = differing.map(|squares| squares.cmp(&transposed(squares)));
        differing.find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_gt)
    }

    /// Squares after the symmetry.
    pub(super) fn apply(self, mut squares: u64) -> u64 {
        if self.files {
            squares = squares.reverse_bits().swap_bytes();
        }
        if self.ranks {
            squares = squares.swap_bytes();
        }
        if self.diagonal { transposed(squares) } else { squares }
    }

    /// A square after the symmetry, 0 = a1 .. 63 = h8 as the mover sees the board.
    pub(super) fn square(self, square: usize) -> usize {
        self.apply(1 << square).trailing_zeros() as usize
    }
}

/// The squares mirrored by the diagonal from a8 to h1: a1 goes to h8 (`TransposeBitsInBytes` of lc0's `src/utils/bititer.h`).
fn transposed(squares: u64) -> u64 {
    let mut image = 0;
    for square in 0..64 {
        let (file, rank) = (square % 8, square / 8);
        image |= (squares >> square & 1) << ((7 - file) * 8 + 7 - rank);
    }
    image
}
