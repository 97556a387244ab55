//! Bounds: the relation of a value found by alpha-beta to the true one.

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
    /// Classifies a value found with the window (alpha, beta): a lower bound from beta on, an upper bound up
    /// to alpha, otherwise exact.
    pub(crate) fn of(value: i32, (alpha, beta): (i32, i32)) -> Self {
        match value {
            _ if value >= beta => Self::Lower,
            _ if value <= alpha => Self::Upper,
            _ => Self::Exact,
        }
    }

    /// True if knowing so much of a value is enough for a window.
    pub(crate) fn decides(self, value: i32, (alpha, beta): (i32, i32)) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => value >= beta,
            Self::Upper => value <= alpha,
        }
    }
}
