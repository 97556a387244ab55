//! What match results say about the difference in strength: pure functions from counts to Elo, with their uncertainty.
//!
//! A rating difference without an interval is no measurement, and neither is an infinite one: a score of 100 % or 0 %
//! gives a one-sided bound here, never a number.

mod distribution;
mod elo;
mod tally;

pub use elo::{
    EloEstimate, IntervalMethod, NORMAL_MIN_SAMPLES, NormalizedElo, elo_from_games, elo_from_pairs,
    elo_from_standing, normalized_elo, score_to_elo,
};
pub use tally::{PairTally, Standing, Tally};
