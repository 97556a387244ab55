//! The games of a campaign so far.

use std::collections::BTreeMap;

use crate::{matches::GameSummary, statistics::Standing};

/// Finished games by the number of their round.
#[derive(Debug, Default)]
pub struct PlayedGames(pub(super) BTreeMap<usize, Vec<GameSummary>>);

impl PlayedGames {
    /// The games of a round.
    pub fn of(&self, number: usize) -> &[GameSummary] {
        self.0.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The score of a round, for its first player.
    pub fn standing(&self, number: usize) -> Standing {
        self.first(number, u32::MAX)
    }

    /// The score of the first `games` games of a round, for its first player.
    pub fn first(&self, number: usize, games: u32) -> Standing {
        let mut standing = Standing::default();
        let first = self.of(number).iter().filter(|game| game.index < games);
        first.for_each(|game| standing.add(game.pair, game.half_points()));
        standing
    }

    /// Number of finished games of all rounds.
    pub fn count(&self) -> u64 {
        self.all().count() as u64
    }

    /// Finished games of all rounds.
    pub fn all(&self) -> impl Iterator<Item = &GameSummary> {
        self.0.values().flatten()
    }

    /// Smallest number of games that a match must have to contain every finished game of this round.
    pub fn begun(&self, number: usize) -> u32 {
        self.of(number).iter().map(|game| game.pair.saturating_add(1).saturating_mul(2)).max().unwrap_or(0)
    }
}
