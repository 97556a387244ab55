//! Networks whose first layer adds the table rows of the features present in a position.

mod play;
pub mod training;

pub use play::{
    Accumulator, Change, LayerPlan, NnueNetwork, NnuePlan, NnueStack, RowsPlan, SparseArena, SparseNetwork,
    SparsePlan, TablePlan,
};

/// The function from sums to hidden units; the units are in the range 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clipping {
    /// Products of each sum in the first half with the corresponding sum in the second half, both clipped to the range 0
    /// to 1. There are half as many units as sums.
    Pairwise,
    /// Squares of the sums, which are clipped to the range 0 to 1.
    Squared,
}

impl Clipping {
    /// The number of hidden units computed from this many sums.
    pub fn units(self, sums: usize) -> usize {
        match self {
            Self::Pairwise => sums / 2,
            Self::Squared => sums,
        }
    }
}
