//! Moves and priors in 31 bits: unvisited edges are most of a tree's memory.

use chess::{Chess, Move, Position, Role, Square};

/// A legal move without the parts that follow from the position: origin, target and a code for promotion, en passant and
/// castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedMove(u16);

const EN_PASSANT: u16 = 5;
const CASTLE: u16 = 6;
// Marks the one kind of move that no chess position has (drops), so that packing is total and unpacking refuses it.
const NO_CHESS_MOVE: u16 = 7;
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl PackedMove {
    pub(crate) fn pack(chess_move: Move) -> Self {
        let (from, to, code) = match chess_move {
            Move::Normal { from, to, promotion, .. } => (from, to, promotion_code(promotion)),
            Move::EnPassant { from, to } => (from, to, EN_PASSANT),
            Move::Castle { king, rook } => (king, rook, CASTLE),
            Move::Put { to, .. } => (to, to, NO_CHESS_MOVE),
        };
        Self((code << 12) | ((to as u16) << 6) | from as u16)
    }

    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    pub(crate) fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The move in the position in which it was legal; `None` if no piece stands on its origin.
    pub(crate) fn unpack(self, position: &Chess) -> Option<Move> {
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from((self.0 >> 6) & 63));
        match self.0 >> 12 {
            EN_PASSANT => Some(Move::EnPassant { from, to }),
            CASTLE => Some(Move::Castle { king: from, rook: to }),
            NO_CHESS_MOVE => None,
            code => Some(Move::Normal {
                role: position.board().role_at(from)?,
                from,
                capture: position.board().role_at(to),
                to,
                promotion: code.checked_sub(1).map(|index| PROMOTIONS[usize::from(index & 3)]),
            }),
        }
    }
}

fn promotion_code(promotion: Option<Role>) -> u16 {
    promotion
        .and_then(|role| PROMOTIONS.iter().position(|&candidate| candidate == role))
        .map_or(0, |index| index as u16 + 1)
}

/// A probability with 5 bits of exponent and 11 of mantissa, as lc0 keeps its priors: relative error below 2^-12, and
/// zero for anything below 2^-31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedPrior(u16);

// The f32 bits of 2^-31, below which nothing is kept, and the mantissa bits that are dropped.
const SMALLEST: u32 = (127 - 31) << 23;
const DROPPED_BITS: u32 = 12;

impl PackedPrior {
    pub(crate) fn pack(prior: f32) -> Self {
        // The bits of positive floats are in the order of the numbers, so they can be rounded, shifted and compared as integers:
        // half of the last bit kept is added, and a carry out of the mantissa raises the exponent, which is the right number too.
        // Everything below the smallest prior saturates to zero. `puct::priors` sorts edges by these bits without unpacking them.
        let rounded = prior.clamp(0.0, 1.0).to_bits() + (1 << (DROPPED_BITS - 1));
        Self((rounded.saturating_sub(SMALLEST) >> DROPPED_BITS) as u16)
    }

    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    pub(crate) fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    pub(crate) fn get(self) -> f32 {
        if self.0 == 0 { 0.0 } else { f32::from_bits((u32::from(self.0) << DROPPED_BITS) + SMALLEST) }
    }
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Game};

    use super::*;

    const POSITIONS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    ];

    #[test]
    fn every_legal_move_survives_packing() {
        for fen in POSITIONS {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let moves = game.legal_moves();
            let packed: Vec<_> = moves.iter().map(|&chess_move| PackedMove::pack(chess_move)).collect();
            for (index, (&chess_move, code)) in moves.iter().zip(&packed).enumerate() {
                assert_eq!(code.unpack(game.position()), Some(chess_move), "{fen}");
                assert!(!packed[..index].contains(code), "{fen}: {chess_move} is not unique");
            }
        }
    }

    #[test]
    fn priors_keep_their_value_and_order() {
        assert_eq!(PackedPrior::pack(0.0).get(), 0.0);
        assert_eq!(PackedPrior::pack(1.0).get(), 1.0);
        let mut last = 0.0;
        for step in 1..=10_000 {
            let prior = step as f32 / 10_000.0;
            let kept = PackedPrior::pack(prior).get();
            assert!((kept - prior).abs() <= prior * 2.0_f32.powi(-12), "{prior} became {kept}");
            assert!(kept >= last);
            last = kept;
        }
    }
}
