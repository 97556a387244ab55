//! Networks whose first layer adds the table rows of the features present in a position.

mod clipping;
mod play;
pub mod training;

pub use clipping::Clipping;
pub use play::{
    Accumulator, Change, LayerPlan, NnueNetwork, NnuePlan, NnueStack, RowsPlan, SparseArena, SparseNetwork,
    SparsePlan, TablePlan,
};
