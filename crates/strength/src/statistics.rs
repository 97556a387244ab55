//! Statistics of match results: pure functions from counts to Elo differences with intervals.
//!
//! Every rating difference has an interval. A score of 100 % or 0 %, whose difference would be infinite,
//! gives a one-sided bound.

mod bootstrap;
mod elo;
mod pool;
mod rating;
mod sprt;
mod tally;
mod text;

pub(crate) use bootstrap::{RESAMPLES, SEED, percentile_interval};
pub use elo::{
    EloEstimate, IntervalMethod, NORMAL_MIN_SAMPLES, NormalizedElo, elo_from_games, elo_from_pairs,
    elo_from_standing, elo_to_score, normalized_elo, score_to_elo,
};
pub use figures::Measurement;
pub use pool::{PoolRating, PoolResult, rate_pool};
pub use rating::{Observation, Rating, likely_elo, rate};
pub use sprt::{Sprt, SprtError, SprtModel, SprtState, SprtVerdict};
pub use tally::{PairTally, Standing, Tally};
pub use text::{EloText, elo_range};
