//! Shared by the alpha-beta searches: a node's distances from root and horizon, null moves, bounds, and which values are mates.

use chess::{Score, Wdl, Window};

/// Half-moves below the root, and half-moves still to search.
#[derive(Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) ply: usize,
    pub(crate) depth: i32,
}

/// A null move is not tried twice in a row, which would only search the same position with less depth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NullMove {
    Allowed,
    Forbidden,
}

/// Whether a value is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Exact,
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
}

impl Bound {
    /// Classifies a value found with a window: a lower bound from beta on, an upper bound up
    /// to alpha, otherwise exact.
    pub(crate) fn of(value: i32, Window { alpha, beta }: Window) -> Self {
        match value {
            _ if value >= beta => Self::Lower,
            _ if value <= alpha => Self::Upper,
            _ => Self::Exact,
        }
    }

    /// True if this bound on a value is enough to decide a window.
    pub(crate) fn decides(self, value: i32, Window { alpha, beta }: Window) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => value >= beta,
            Self::Upper => value <= alpha,
        }
    }
}

// Mates among the values of a search that reports them: counted in half-moves from the root, beyond every other value.

/// Being mated now; each half-move further away is one better.
pub(crate) const MATED: i32 = -30_000;
/// Values beyond this are mates.
pub(crate) const MATE_RANGE: i32 = 29_000;
/// More than any value.
pub(crate) const INFINITE: i32 = 32_000;

/// True for a mate, of either side, in at most this many moves.
pub(crate) fn mates_within(value: i32, moves: u32) -> bool {
    value.abs() > MATE_RANGE && (-MATED - value.abs()) as u32 <= moves.saturating_mul(2)
}

/// A mate in the form that reports use; `None` for any other value.
pub(crate) fn read_mate(value: i32) -> Option<(Wdl, Score)> {
    let mate = (-MATED - value.abs() + 1) / 2;
    match value {
        _ if value > MATE_RANGE => Some((Wdl::WIN, Score::Mate(mate))),
        _ if value < -MATE_RANGE => Some((Wdl::LOSS, Score::Mate(-mate))),
        _ => None,
    }
}

/// A value found `ply` half-moves below the root with mates counted from its own position, as tables store them: another line
/// may reach the position after a different number of half-moves.
pub(crate) fn from_position(value: i32, ply: i32) -> i32 {
    match value {
        _ if value > MATE_RANGE => value + ply,
        _ if value < -MATE_RANGE => value - ply,
        _ => value,
    }
}

/// The reverse of [`from_position`].
pub(crate) fn from_root(value: i32, ply: i32) -> i32 {
    match value {
        _ if value > MATE_RANGE => value - ply,
        _ if value < -MATE_RANGE => value + ply,
        _ => value,
    }
}
