//! Entries of the transposition table.

use chess::{Chess, Move, Position as _};

use super::numbers::MAX_PLY;
use crate::{
    alpha_beta::{Bound, from_position, from_root},
    packed::PackedMove,
};

/// A value that a search of a position found, and what it says about the true one.
#[derive(Clone, Copy)]
pub(super) struct SearchedValue {
    /// Mates counted from the root.
    pub(super) value: i32,
    pub(super) bound: Bound,
    /// Half-moves searched below the position.
    pub(super) depth: i32,
    /// Half-moves of the position below the root.
    pub(super) ply: usize,
}

/// Result of searching a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Code 0, from a1 to a1, if there is none.
    best: PackedMove,
    /// Mates counted from this position, not from the root.
    value: i16,
    /// Static value; meaningless in check.
    static_value: i16,
    depth: i8,
    pub(super) bound: Bound,
}

impl Entry {
    pub(super) fn new(best: Option<Move>, searched: SearchedValue, static_value: i32) -> Self {
        Self {
            best: best.map_or(PackedMove::from_bits(0), PackedMove::pack),
            value: from_position(searched.value, searched.ply as i32) as i16,
            static_value: static_value as i16,
            depth: searched.depth.clamp(0, MAX_PLY as i32) as i8,
            bound: searched.bound,
        }
    }

    /// The entry in 64 bits, which are never all 0; the last six are 0.
    pub(super) fn to_bits(self) -> u64 {
        let bound: u8 = match self.bound {
            Bound::Exact => 1,
            Bound::Lower => 2,
            Bound::Upper => 3,
        };
        let [value_low, value_high] = self.value.to_le_bytes();
        let [static_low, static_high] = self.static_value.to_le_bytes();
        let [best_low, best_high] = self.best.bits().to_le_bytes();
        let [depth] = self.depth.to_le_bytes();
        u64::from_le_bytes([
            value_low,
            value_high,
            static_low,
            static_high,
            best_low,
            best_high,
            depth,
            bound,
        ])
    }

    /// The entry of [`Entry::to_bits`], whatever its last six bits; `None` for anything else.
    pub(super) fn from_bits(bits: u64) -> Option<Self> {
        let [value_low, value_high, static_low, static_high, best_low, best_high, depth, bound] =
            bits.to_le_bytes();
        Some(Self {
            best: PackedMove::from_bits(u16::from_le_bytes([best_low, best_high])),
            value: i16::from_le_bytes([value_low, value_high]),
            static_value: i16::from_le_bytes([static_low, static_high]),
            depth: i8::from_le_bytes([depth]),
            bound: match bound & 3 {
                1 => Bound::Exact,
                2 => Bound::Lower,
                3 => Bound::Upper,
                _ => return None,
            },
        })
    }

    pub(super) fn depth(self) -> i32 {
        i32::from(self.depth)
    }

    pub(super) fn static_value(self) -> i32 {
        i32::from(self.static_value)
    }

    /// The value as seen from the root.
    pub(super) fn value(self, ply: usize) -> i32 {
        from_root(i32::from(self.value), ply as i32)
    }

    /// The best move, if it is legal in the position.
    pub(super) fn best_move(self, position: &Chess) -> Option<Move> {
        self.best.unpack(position).filter(|&chess_move| position.is_legal(chess_move))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_entry() {
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for (value, static_value, depth) in [(0, 0, 0), (-29_900, 2_000, 1), (29_990, -2_000, 120)] {
                let entry = Entry::new(None, SearchedValue { value, bound, depth, ply: 7 }, static_value);
                assert_eq!(Entry::from_bits(entry.to_bits()), Some(entry));
                assert_eq!(entry.value(7), value);
            }
        }
        assert_eq!(Entry::from_bits(0), None);
    }
}
