//! Games by opening.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Games of one opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct OpeningShare {
    /// Its code in the Encyclopaedia of Chess Openings; `?` if neither the store nor the names know it.
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
