//! The window of an alpha-beta search.

/// Values that matter to an alpha-beta search (Knuth and Moore, "An analysis of alpha-beta pruning", 1975), for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Values at or below this are equally bad: another move is as good.
    pub alpha: i32,
    /// Values at or above this are equally good: the opponent avoids the position.
    pub beta: i32,
}

impl Window {
    /// The empty window at a value: a lower bound at or above the value decides it, and so does an upper bound at or below.
    #[inline]
    pub fn at(value: i32) -> Self {
        Self { alpha: value, beta: value }
    }

    /// The window from the opponent's point of view.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// True if values inside the window are possible: the window of a principal variation.
    #[inline]
    pub fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }
}
