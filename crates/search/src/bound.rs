//! Windows and bounds: the values that matter to alpha-beta, and the relation of one that it found to the true one.

/// Values that matter: up to `alpha` another move is as good, and from `beta` on the opponent avoids the position.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// The window from the opponent's point of view.
    pub(crate) fn reversed(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// True if values inside the window are possible: the window of a principal variation.
    pub(crate) fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }
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
