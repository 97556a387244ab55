//! Networks whose first layer adds rows of a table: those of the features that a position has.

mod clipping;
mod play;
pub mod training;

pub use clipping::Clipping;
pub use play::{
    Accumulator, Change, LayerPlan, NnueNetwork, NnuePlan, NnueStack, RowsPlan, SparseArena, SparseNetwork,
    SparsePlan, TablePlan,
};
