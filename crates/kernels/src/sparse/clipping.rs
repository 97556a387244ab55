//! The function behind the sums of a table.

/// The function from sums to hidden units, all within 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clipping {
    /// Products of sums of the first half, cut off at 0 and 1, with those of the second half: half as many units as sums.
    Pairwise,
    /// Squares of the sums, cut off at 0 and 1.
    Squared,
}

impl Clipping {
    /// Hidden units of this many sums.
    pub fn units(self, sums: usize) -> usize {
        match self {
            Self::Pairwise => sums / 2,
            Self::Squared => sums,
        }
    }
}
