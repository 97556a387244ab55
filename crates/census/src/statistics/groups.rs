//! Games by opening and by rating, samples by the part of the game.

use std::collections::HashMap;

use dataset::{Phase, Sample};
use serde::{Deserialize, Serialize};

/// Games of one opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct OpeningShare {
    /// Its code in the Encyclopaedia of Chess Openings; `?` if neither the store nor the table of names has
    /// it.
    pub eco: String,
    /// The name of the longest line of the game, if names were given.
    pub name: String,
    pub games: u64,
}

/// Openings by their games, most frequent first.
pub(super) fn by_frequency(openings: &HashMap<(String, String), u64>) -> Vec<OpeningShare> {
    let share = |((eco, name), &games): (&(String, String), &u64)| OpeningShare {
        eco: eco.clone(),
        name: name.clone(),
        games,
    };
    let mut shares: Vec<OpeningShare> = openings.iter().map(share).collect();
    shares.sort_by(|one, other| other.games.cmp(&one.games).then_with(|| one.cmp(other)));
    shares
}

/// Samples by the part of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Phases {
    pub opening: u64,
    pub middlegame: u64,
    pub endgame: u64,
}

impl Phases {
    pub(super) fn add(&mut self, sample: &Sample) {
        *match Phase::of(&sample.position, sample.ply) {
            Phase::Opening => &mut self.opening,
            Phase::Middlegame => &mut self.middlegame,
            Phase::Endgame => &mut self.endgame,
        } += 1;
    }
}

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
