//! What the alpha-beta searches share: where a node stands, null moves, and what a value says about the true one.

use chess::Window;

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

/// Relation of a value to the true one.
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
