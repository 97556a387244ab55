//! Games in, shuffled batches of labelled samples out.

pub mod batch;

pub use batch::{Batch, GameResult};
