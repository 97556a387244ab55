//! The policy vector of Leela Chess Zero.

use std::sync::LazyLock;

use shakmaty::{Chess, Move, Role};

use super::{
    MoveEncoding,
    geometry::{is_queen_or_knight_step, king_takes_rook_squares},
};
use crate::encoding::canonical::Symmetry;

/// `lc0-1858`: every queen and knight step, then queen, rook and bishop promotions.
///
/// Order (lc0, `src/chess/bitboard.cc`, `kIdxToMove`; lczero-training, `tf/policy_index.py`): the 1,792 pairs of squares
/// that a queen or knight can step between, by origin and then target, both a1, b1 .. h8; then, for the 22 pairs of
/// promotion squares in the same order, three indices for queen, rook and bishop. A knight promotion is the plain pair.
/// Castling is king-takes-rook (`e1h1`).
#[derive(Clone, Copy, Debug)]
pub struct Lc0Moves1858;

const SIZE: usize = 1858;

struct Table {
    /// Index of a plain pair, at `from * 64 + to`; `u16::MAX` where no piece can go.
    plain: Vec<u16>,
    /// Index of the queen promotion, at `from_file * 8 + to_file`; rook and bishop follow it.
    promotion: [u16; 64],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut next: u16 = 0;
    let mut plain = vec![u16::MAX; 64 * 64];
    for from in 0..64 {
        for to in (0..64).filter(|&to| is_queen_or_knight_step(from, to)) {
            plain[from * 64 + to] = next;
            next += 1;
        }
    }
    let mut promotion = [u16::MAX; 64];
    for from_file in 0..8_usize {
        for to_file in (0..8).filter(|&to_file| from_file.abs_diff(to_file) <= 1) {
            promotion[from_file * 8 + to_file] = next;
            next += 3;
        }
    }
    Table { plain, promotion }
});

impl MoveEncoding for Lc0Moves1858 {
    fn name(&self) -> &'static str {
        "lc0-1858"
    }

    fn size(&self) -> usize {
        SIZE
    }

    fn index(&self, position: &Chess, chess_move: Move) -> usize {
        let (from, to) = king_takes_rook_squares(position, chess_move);
        usize::from(entry(from, to, chess_move.promotion()))
    }
}

/// `lc0-1858-canonical`: the indices of [`Lc0Moves1858`] after the symmetry that the canonical inputs apply to the position
/// ([`Lc0LaterPlanes112`](crate::encoding::input::Lc0LaterPlanes112)).
#[derive(Clone, Copy, Debug)]
pub struct Lc0CanonicalMoves1858;

impl MoveEncoding for Lc0CanonicalMoves1858 {
    fn name(&self) -> &'static str {
        "lc0-1858-canonical"
    }

    fn size(&self) -> usize {
        SIZE
    }

    fn index(&self, position: &Chess, chess_move: Move) -> usize {
        let symmetry = Symmetry::of(position);
        let (from, to) = king_takes_rook_squares(position, chess_move);
        usize::from(entry(symmetry.square(from), symmetry.square(to), chess_move.promotion()))
    }
}

impl Lc0Moves1858 {
    /// The index of a step between two squares (0 = a1 .. 63 = h8, mover's view) in any position, which maps the planes of a
    /// convolutional policy to moves. `None` if no piece can make the step or no pawn the promotion.
    pub fn index_of_step(from: usize, to: usize, promotion: Option<Role>) -> Option<usize> {
        let plain = matches!(promotion, None | Some(Role::Knight));
        if from >= 64 || to >= 64 || !plain && (from / 8 != 6 || to / 8 != 7) {
            return None;
        }
        let index = entry(from, to, promotion);
        (index != u16::MAX).then_some(usize::from(index))
    }
}

/// The table's entry; `u16::MAX` (no move) saturates rather than wrapping to another move's index.
fn entry(from: usize, to: usize, promotion: Option<Role>) -> u16 {
    let table = &*TABLE;
    let piece_offset = match promotion {
        Some(Role::Queen) => 0,
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        _ => return table.plain[from * 64 + to],
    };
    table.promotion[from % 8 * 8 + to % 8].saturating_add(piece_offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::moves::geometry::is_queen_or_knight_step;

    /// Indices from lc0's list (`tf/policy_index.py` of lczero-training).
    #[test]
    fn known_indices_of_lc0() {
        for (fen, uci, index) in [
            ("8/8/8/8/8/8/8/R3K2k w Q - 0 1", "a1b1", 0),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", 21),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", 97),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", 103),
            ("7Q/8/8/8/8/k7/8/2K5 w - - 0 1", "h8g8", 1791),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", 1792),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8r", 1793),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8b", 1794),
            ("1n6/P6k/8/8/8/8/8/K7 w - - 0 1", "a7b8q", 1795),
            ("8/k6P/8/8/8/8/8/K7 w - - 0 1", "h7h8b", 1857),
            ("k7/8/8/8/8/8/7p/K7 b - - 0 1", "h2h1b", 1857),
        ] {
            let game = crate::Game::from_fen(fen, shakmaty::CastlingMode::Standard).unwrap();
            let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
            let chess_move = uci.to_move(game.position()).unwrap();
            assert_eq!(Lc0Moves1858.index(game.position(), chess_move), index, "{fen} {uci}");
        }
    }

    #[test]
    fn a_knight_promotion_shares_the_plain_pair() {
        let game =
            crate::Game::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1", shakmaty::CastlingMode::Standard).unwrap();
        let knight = game.legal_moves().into_iter().find(|m| m.promotion() == Some(Role::Knight)).unwrap();
        assert_eq!(
            Lc0Moves1858.index(game.position(), knight),
            usize::from(
                TABLE.plain[usize::from(shakmaty::Square::A7) * 64 + usize::from(shakmaty::Square::A8)]
            )
        );
    }

    #[test]
    fn steps_without_position() {
        assert_eq!(Lc0Moves1858::index_of_step(0, 1, None), Some(0));
        assert_eq!(Lc0Moves1858::index_of_step(48, 56, Some(Role::Queen)), Some(1792));
        assert_eq!(
            Lc0Moves1858::index_of_step(48, 56, Some(Role::Knight)),
            Lc0Moves1858::index_of_step(48, 56, None)
        );
        assert_eq!(Lc0Moves1858::index_of_step(48, 58, Some(Role::Bishop)), None);
        assert_eq!(Lc0Moves1858::index_of_step(8, 16, Some(Role::Rook)), None);
        assert_eq!(Lc0Moves1858::index_of_step(0, 12, None), None);
    }

    #[test]
    fn the_table_has_1792_pairs_and_66_promotions() {
        let pairs = (0..64 * 64).filter(|pair| is_queen_or_knight_step(pair / 64, pair % 64)).count();
        assert_eq!(pairs, 1792);
        assert_eq!(TABLE.promotion.iter().filter(|&&index| index != u16::MAX).count() * 3, SIZE - pairs);
        assert_eq!(usize::from(TABLE.promotion[7 * 8 + 7]) + 2, SIZE - 1);
    }
}
