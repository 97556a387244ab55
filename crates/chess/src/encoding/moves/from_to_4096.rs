//! Origin times target: the simplest policy vector, extended by under-promotions.

use shakmaty::{Chess, Move, Role};

use super::{MoveEncoding, geometry::king_step_squares};

/// `from-to-4096`: `origin * 64 + target`, a1 = 0 .. h8 = 63, in the mover's view.
///
/// Of the 4,096 pairs only 1,792 (queen and knight steps) can be moves, so under-promotions use pairs that no piece can
/// make: the origin is the pawn's square on the seventh rank; the target is `(arrival file XOR 2, rank)` with
/// rank 3 for a knight, 2 for a bishop and 1 for a rook. The arrival file differs from the pawn's by at most one, so the
/// encoded target lies one to three files away, and four to six ranks below: neither a straight line, nor a diagonal, nor
/// a knight's step. A queen promotion is the plain pair. Castling is the king's step (`e1g1`) from the orthodox squares,
/// king-takes-rook elsewhere (Chess960).
#[derive(Clone, Copy, Debug)]
pub struct FromTo4096;

impl MoveEncoding for FromTo4096 {
    fn name(&self) -> &'static str {
        "from-to-4096"
    }

    fn size(&self) -> usize {
        64 * 64
    }

    fn index(&self, position: &Chess, chess_move: Move) -> usize {
        let (from, to) = king_step_squares(position, chess_move);
        from * 64 + underpromotion_target(to, chess_move.promotion()).unwrap_or(to)
    }
}

/// The target square that encodes an under-promotion arriving on `to`.
fn underpromotion_target(to: usize, promotion: Option<Role>) -> Option<usize> {
    let rank = match promotion? {
        Role::Knight => 2,
        Role::Bishop => 1,
        Role::Rook => 0,
        _ => return None,
    };
    Some(rank * 8 + ((to % 8) ^ 2))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::encoding::moves::geometry::is_queen_or_knight_step;

    #[test]
    fn every_underpromotion_has_its_own_pair_that_no_piece_can_make() {
        let mut pairs = BTreeSet::new();
        for from_file in 0..8_usize {
            for to_file in (0..8).filter(|&file| from_file.abs_diff(file) <= 1) {
                for role in [Role::Knight, Role::Bishop, Role::Rook] {
                    let (from, to) = (48 + from_file, 56 + to_file);
                    let target = underpromotion_target(to, Some(role)).unwrap();
                    assert!(!is_queen_or_knight_step(from, target), "{from} {target}");
                    assert_ne!(from, target);
                    assert!(pairs.insert((from, target)), "{from} {target} twice");
                }
            }
        }
        assert_eq!(pairs.len(), 66);
    }
}
