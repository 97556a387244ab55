//! Networks whose first layer adds rows of a table: those of the features that a position has.

mod play;
pub mod training;

pub use play::{LayerPlan, RowsPlan, SparseArena, SparseClipping, SparseNetwork, SparsePlan, TablePlan};
