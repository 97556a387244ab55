//! lc0's canonical orientation: positions that differ by a symmetry of the board alone become one (`ChooseTransform` of lc0's
//! `src/neural/encoder.cc`).

use shakmaty::{Bitboard, Board, Chess, Color, Position as _};

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
    /// The symmetry of a position. With castling rights there is none; with pawns only the files can be
    /// mirrored; otherwise the mover's king is brought to the lower right, below the diagonal.
    pub(super) fn of(position: &Chess) -> Self {
        let mut symmetry = Self::default();
        if position.castles().any() {
            return symmetry;
        }
        let (board, mover) = (position.board(), position.turn());
        let king = viewed((board.kings() & board.by_color(mover)).0, mover);
        // One symmetry after the other, as lc0 does: whether the ranks are reversed is decided on the board with its files reversed,
        // and the diagonal on the board with both. lc0's networks expect exactly these orientations.
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
    for square in Bitboard(squares) {
        let (file, rank) = (u32::from(square) % 8, u32::from(square) / 8);
        image |= 1 << ((7 - file) * 8 + 7 - rank);
    }
    image
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Position as _};

    use crate::{
        Game,
        encoding::{MoveEncoding as _, Plane, input::input_encoding, moves::Lc0CanonicalMoves1858},
    };

    /// The planes of a position, and the indices of its legal moves in ascending order.
    fn seen(fen: &str) -> (Vec<Plane>, Vec<usize>) {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let input = input_encoding("lc0-112-canonical").unwrap();
        let mut planes = vec![Plane::EMPTY; input.planes()];
        input.encode(&game, &mut planes);
        let position = game.position();
        let moves = position.legal_moves().into_iter();
        let mut indices: Vec<usize> = moves.map(|each| Lc0CanonicalMoves1858.index(position, each)).collect();
        indices.sort_unstable();
        (planes, indices)
    }

    /// A position, its files reversed, its ranks reversed, and ranks and files exchanged; with pawns the same for the other colour.
    #[test]
    fn symmetric_positions_are_one() {
        for group in [
            // Without pawns: every symmetry.
            [
                "8/8/3k4/8/8/2K5/4R3/8 w - - 0 1",
                "8/8/4k3/8/8/5K2/3R4/8 w - - 0 1",
                "8/4R3/2K5/8/8/3k4/8/8 w - - 0 1",
                "8/8/5K2/2k5/6R1/8/8/8 w - - 0 1",
            ],
            // With pawns only the files, for either colour.
            [
                "8/p7/3k4/8/8/2K5/4RP2/8 b - - 0 1",
                "8/7p/4k3/8/8/5K2/2PR4/8 b - - 0 1",
                "8/4rp2/2k5/8/8/3K4/P7/8 w - - 0 1",
                "8/2pr4/5k2/8/8/4K3/7P/8 w - - 0 1",
            ],
        ] {
            let first = seen(group[0]);
            for other in &group[1..] {
                assert_eq!(seen(other), first, "{} and {other}", group[0]);
            }
        }
    }

    #[test]
    fn where_somebody_may_castle_nothing_is_turned() {
        let game = Game::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", CastlingMode::Standard).unwrap();
        assert_eq!(super::Symmetry::of(game.position()), super::Symmetry::default());
        let without = Game::from_fen("4k3/8/8/8/8/8/8/R2K4 w - - 0 1", CastlingMode::Standard).unwrap();
        assert!(super::Symmetry::of(without.position()).files);
    }
}
