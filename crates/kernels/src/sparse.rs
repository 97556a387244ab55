//! Networks whose first layer adds rows of a table: those of the features that a position has.

mod play;
pub mod training;

pub use play::{
    Accumulator, Change, LayerPlan, NnueNetwork, NnuePlan, NnueStack, RowsPlan, SparseArena, SparseClipping,
    SparseNetwork, SparsePlan, TablePlan,
};
