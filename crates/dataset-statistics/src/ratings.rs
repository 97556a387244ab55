//! Games by rating.

use serde::{Deserialize, Serialize};

/// Games by the mean of their players' known ratings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ratings {
    /// Games without any rating.
    pub unknown: u64,
    /// Games by hundreds, without gaps.
    pub bars: Vec<RatingBar>,
}

/// Games with a mean rating of `from..from + 100`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct RatingBar {
    /// The rating at which the bar begins.
    pub from: u16,
    pub games: u64,
}
