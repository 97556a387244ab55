//! Counts over games and sample stores: [`statistics`] of training data, and [`openings`], tables of the moves that were played in each
//! position.

pub mod openings;
pub mod statistics;
