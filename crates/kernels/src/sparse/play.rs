//! Sparse networks for play, in integers: eight-bit tables and rows, 16-bit sums, eight-bit hidden units.
//!
//! | part | numbers |
//! |---|---|
//! | rows of a table | eight bits in one step for the table, a power of two of 1/128 or more |
//! | sums | 16 bits in that step, saturating |
//! | hidden units | 0 to 128, in 1/128 |
//! | rows of the first layer, of moves and of kinds | eight bits in a step of their own; products are added in 32 bits |
//! | the other layers, biases, and the number of each feature | 32-bit floats |
//!
//! All instruction sets give bit-identical results. Sums are recomputed for each position: see [`SparseNetwork`].

mod integers;
mod level;
mod network;
mod nnue;
mod rows;
mod table;

pub use network::{LayerPlan, SparseArena, SparseNetwork, SparsePlan};
pub use nnue::{Accumulator, Change, NnueNetwork, NnuePlan, NnueStack};
pub use rows::RowsPlan;
pub use table::TablePlan;

#[cfg(test)]
mod tests;
