//! Networks whose first layer adds the table rows of the features present in a position.

mod play;
pub mod training;

use serde::{Deserialize, Serialize};

pub use play::{
    Accumulator, Change, LayerPlan, NnueNetwork, NnuePlan, NnueStack, RowsPlan, SparseArena, SparseNetwork,
    SparsePlan, TablePlan,
};

/// The function from sums to hidden units; the units are in the range 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clipping {
    /// Unit i is the product of sums i and i + width / 2, each clipped to 0 to 1. There are half as many units as sums.
    #[default]
    Pairwise,
    /// Unit i is the square of sum i, clipped to 0 to 1.
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
