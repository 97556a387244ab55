//! Networks whose first layer adds rows of a table: those of the features that a position has.

pub mod training;
