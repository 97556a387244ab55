//! Games by result, opening and rating, samples by result and by the part of the game.

use std::collections::HashMap;

use dataset::{
    GameResult, Phase, Sample,
    record::{Eco, Winner},
    source::opening_names::Opening,
};
use serde::{Deserialize, Serialize};

/// Distinct games by result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct GameResults {
    pub white: u64,
    pub draw: u64,
    pub black: u64,
    pub unknown: u64,
}

/// Samples by result, seen by the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PositionResults {
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    pub unknown: u64,
}

impl GameResults {
    pub(super) fn add(&mut self, winner: Option<Winner>) {
        *match winner {
            Some(Winner::White) => &mut self.white,
            Some(Winner::Draw) => &mut self.draw,
            Some(Winner::Black) => &mut self.black,
            None => &mut self.unknown,
        } += 1;
    }
}

impl PositionResults {
    pub(super) fn add(&mut self, result: Option<GameResult>) {
        *match result {
            Some(GameResult::Win) => &mut self.win,
            Some(GameResult::Draw) => &mut self.draw,
            Some(GameResult::Loss) => &mut self.loss,
            None => &mut self.unknown,
        } += 1;
    }
}

/// Games of one opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct OpeningShare {
    /// Its code in the Encyclopaedia of Chess Openings; `?` if neither the store nor the table of names has
    /// it.
    pub eco: String,
    /// The name of the longest line of the game, if names were given.
    pub name: String,
    pub games: u64,
}

/// Code and name of a game's opening: those of its longest named line, or else the code that its source gives.
pub(super) fn code_and_name(named: Option<&Opening>, eco: Option<Eco>) -> (String, String) {
    match (named, eco) {
        (Some(opening), _) => (opening.eco.clone(), opening.name.clone()),
        (None, Some(eco)) => (eco.to_string(), String::new()),
        (None, None) => ("?".into(), String::new()),
    }
}

/// Openings by their games, most frequent first.
pub(super) fn by_frequency(openings: &HashMap<(String, String), u64>) -> Vec<OpeningShare> {
    let mut shares = Vec::with_capacity(openings.len());
    for ((eco, name), &games) in openings {
        shares.push(OpeningShare { eco: eco.clone(), name: name.clone(), games });
    }
    shares.sort_by(|one, other| other.games.cmp(&one.games).then_with(|| one.cmp(other)));
    shares
}

/// Samples by the part of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
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
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct RatingBar {
    /// The rating at which the bar begins.
    pub from: u16,
    pub games: u64,
}
