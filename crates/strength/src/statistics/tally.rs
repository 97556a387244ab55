//! Counting results: single games, pairs of games, and a running match.

use std::{collections::HashMap, fmt, iter::Sum};

use serde::{Deserialize, Serialize};

/// Wins, draws and losses of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Tally {
    /// Wins, draws and losses together.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points won: one for a win, half for a draw.
    pub fn points(self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Points won as a share of the games; 0 without games.
    pub fn share(self) -> f64 {
        self.points() / self.games().max(1) as f64
    }

    /// These games from the opponent's view.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Counts one game by its half points: 0 lost, 1 drawn, 2 won.
    fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(games: I) -> Self {
        games.fold(Self::default(), |sum, games| Self {
            wins: sum.wins + games.wins,
            draws: sum.draws + games.draws,
            losses: sum.losses + games.losses,
        })
    }
}

/// Wins, draws and losses, such as `+5 =3 -2`.
impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// Pairs of games from one opening with both colours, counted by the points one player won in them: 0, 1/2, 1, 3/2, 2
/// (the pentanomial counts of fastchess and Fishtest).
///
/// The two games of a pair share their opening and are therefore not independent; the pairs are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairTally(pub [u64; 5]);

/// Points of a pair on the scale 0 to 1, in the order of its counts.
pub(super) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl PairTally {
    /// Number of complete pairs.
    pub fn pairs(self) -> u64 {
        self.0.iter().sum()
    }

    /// These pairs from the opponent's view.
    #[must_use]
    pub fn flipped(self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }
}

/// The running result of a match, seen by the first player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    games: Tally,
    pairs: PairTally,
    half_points_of_open_pairs: HashMap<u32, u8>,
}

impl Standing {
    /// Counts a finished game of pair `pair` by the half points of the first player: 0 lost, 1 drawn, 2 won.
    pub fn add(&mut self, pair: u32, half_points: u8) {
        self.games.add(half_points);
        match self.half_points_of_open_pairs.remove(&pair) {
            None => {
                self.half_points_of_open_pairs.insert(pair, half_points);
            }
            Some(earlier) => self.pairs.0[usize::from((earlier + half_points).min(4))] += 1,
        }
    }

    /// Finished games, whether or not their pair is complete.
    pub fn games(&self) -> Tally {
        self.games
    }

    /// Half points of the games whose pair is not complete, in no particular order.
    pub fn open(&self) -> impl Iterator<Item = u8> {
        self.half_points_of_open_pairs.values().copied()
    }

    /// The pairs in which both games are finished.
    pub fn pairs(&self) -> PairTally {
        self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_wait_for_their_second_game() {
        let mut standing = Standing::default();
        standing.add(0, 2);
        standing.add(1, 1);
        assert_eq!(standing.pairs().pairs(), 0);
        standing.add(1, 2);
        standing.add(0, 0);
        standing.add(2, 1);
        assert_eq!(standing.pairs(), PairTally([0, 0, 1, 1, 0]));
        assert_eq!(standing.games(), Tally { wins: 2, draws: 2, losses: 1 });
    }
}
