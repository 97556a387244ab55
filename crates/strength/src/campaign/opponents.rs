//! The opponents of a ladder: players weaker than an engine's levels, these levels, and the engine at full strength.

use super::LevelledEngine;
use crate::matches::{Contestant, ContestantConditions};

/// A player whose rating was measured on the scale of an engine's levels.
#[derive(Clone)]
pub struct RatedPlayer {
    /// Name in the result.
    pub name: String,
    /// Rating on that scale.
    pub elo: f64,
    /// Builds the player.
    pub contestant: Contestant,
}

/// Players below an engine's levels.
#[derive(Clone, Default)]
pub struct WeakerPlayers {
    /// The players, weakest first, all rated below the engine's lowest level.
    pub players: Vec<RatedPlayer>,
    /// How their ratings were measured, or why there are none.
    pub conditions: String,
}

/// Everyone a player can meet on a ladder, numbered from the weakest.
pub struct Opponents {
    /// Players weaker than the engine's lowest level.
    pub weaker: WeakerPlayers,
    /// The engine whose levels are the scale.
    pub engine: LevelledEngine,
    /// Node counts of the engine at full strength, where it has no rating.
    pub beyond: Vec<u64>,
}

impl Opponents {
    /// Ratings of those that have one; their numbers are the first ones.
    pub fn ratings(&self) -> Vec<f64> {
        let weaker = self.weaker.players.iter().map(|player| player.elo);
        weaker.chain(self.engine.levels.iter().map(|&level| level as f64)).collect()
    }

    /// Number of the engine's lowest level.
    pub(super) fn lowest_level(&self) -> usize {
        self.weaker.players.len()
    }

    /// Number of all of them.
    pub(super) fn count(&self) -> usize {
        self.lowest_level() + self.engine.levels.len() + self.beyond.len()
    }

    /// The opponent with a number, and its name in the result.
    pub(super) fn of(&self, number: usize) -> (String, Contestant) {
        let Some(level) = number.checked_sub(self.lowest_level()) else {
            let player = &self.weaker.players[number];
            return (player.name.clone(), player.contestant.clone());
        };
        if let Some(&elo) = self.engine.levels.get(level) {
            return (format!("UCI_Elo {elo}"), self.engine.at_level(elo));
        }
        let nodes = self.beyond[level - self.engine.levels.len()];
        (format!("full, {nodes} nodes"), self.engine.at_nodes(nodes))
    }

    pub(super) fn conditions(&self) -> ContestantConditions {
        let mut conditions = self.engine.conditions();
        if !self.weaker.conditions.is_empty() {
            conditions.identity.push(("people".into(), self.weaker.conditions.clone()));
        }
        conditions
    }
}
