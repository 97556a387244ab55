//! Random decisions about a generated game, made before it begins.

use std::{ops::RangeInclusive, path::Path};

use chess::{Game, split_mix::first};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use strength::{
    OpeningBook,
    metrics::{Take, read_played},
    opening::random_plies,
};

use crate::LabellingError;

/// Attempts to find random plies that do not end the game. Chosen: if a start has any, they are found long before.
const ATTEMPTS: usize = 100;

/// Positions taken from one game if starts come from games: neighbouring positions are much alike. Chosen, not tuned.
const STARTS_PER_GAME: usize = 4;

/// Starting positions of generated games.
pub enum Starts {
    /// The openings of a book, in turn.
    Book(OpeningBook),
    /// Positions from within games.
    Positions(Vec<Game>),
}

impl Starts {
    /// Up to `count` random positions from within the games of a file.
    ///
    /// # Errors
    /// [`LabellingError::Dataset`] if the file cannot be read, [`LabellingError::NoStarts`] if it holds no games.
    pub fn within(path: &Path, count: usize) -> Result<Self, LabellingError> {
        let take = Take { per_game: STARTS_PER_GAME, sample: Some(count) };
        let found = read_played(path, take, |_| true)?;
        if found.positions.is_empty() {
            return Err(LabellingError::NoStarts { path: path.into() });
        }
        Ok(Self::Positions(found.positions.into_iter().map(|position| position.game).collect()))
    }

    fn of(&self, number: u64) -> &Game {
        match self {
            Self::Book(book) => &book.of_pair((number % book.len() as u64) as u32).game,
            Self::Positions(positions) => &positions[(number % positions.len() as u64) as usize],
        }
    }
}

/// The settings that determine each game's plan.
pub struct Plans {
    /// Starting positions of the games.
    pub starts: Starts,
    /// Random legal half-moves before the engine plays.
    pub random_plies: RangeInclusive<u32>,
    /// Shares of slips among the moves; each game uses one of them.
    pub slips: Vec<f64>,
    /// Half-moves after which a game is broken off; `None`: never.
    pub length: Option<RangeInclusive<u32>>,
    /// Seed of everything.
    pub seed: u64,
}

pub(super) struct GamePlan {
    /// The seed, then the number of the game.
    pub(super) round: String,
    /// The position in which the engine begins to play.
    pub(super) start: Game,
    /// Share of slips among its moves.
    pub(super) slips: f64,
    /// Half-moves after which it is broken off.
    pub(super) length: Option<u32>,
    /// Source of its further random decisions.
    pub(super) random: Xoshiro256PlusPlus,
}

impl Plans {
    /// Default of [`Plans::random_plies`].
    pub const RANDOM_PLIES: RangeInclusive<u32> = 0..=5;
    /// Default of [`Plans::slips`].
    pub const SLIPS: [f64; 3] = [0.0, 0.03, 0.1];
    /// Default of [`Plans::seed`].
    pub const SEED: u64 = 1;

    pub(super) fn plan(&self, number: u64) -> Result<GamePlan, LabellingError> {
        let mut random = self.random(number);
        let plies = random.random_range(self.random_plies.clone());
        let start = self.starts.of(number);
        let Some(start) = (0..ATTEMPTS).find_map(|_| after_random_plies(start, plies, &mut random)) else {
            return Err(LabellingError::NoRandomPlies { plies, fen: start.fen() });
        };
        let slips = self.slips[random.random_range(..self.slips.len())];
        let length = self.length.clone().map(|range| random.random_range(range));
        Ok(GamePlan { round: format!("{}.{number}", self.seed), start, slips, length, random })
    }

    /// A stream of its own for each game.
    fn random(&self, number: u64) -> Xoshiro256PlusPlus {
        // Mixed before the number is added: otherwise game 2 of seed 1 would be game 0 of seed 3 (1 ^ 2 = 3 ^ 0).
        Xoshiro256PlusPlus::seed_from_u64(first(first(self.seed) ^ number))
    }
}

/// The position after `plies` random moves, as the start of a game; `None` if the game ended on the way.
fn after_random_plies(start: &Game, plies: u32, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let game = random_plies(start, plies, random)?;
    // Without the random moves: they are not examples of play, and the PGN begins after them.
    let start = Game::from_position(game.position().clone(), game.castling_mode());
    start.outcome().is_none().then_some(start)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn plans(seed: u64) -> Plans {
        Plans {
            starts: Starts::Book(OpeningBook::balanced(1).unwrap()),
            random_plies: 1..=5,
            slips: vec![0.0, 0.1],
            length: Some(6..=26),
            seed,
        }
    }

    #[test]
    fn a_plan_follows_from_seed_and_number() {
        let told = |seed, number| {
            let plan = plans(seed).plan(number).unwrap();
            (plan.round, plan.start.fen(), plan.slips.to_bits(), plan.length, plan.random)
        };
        let all: Vec<_> = (0..100).map(|number| told(1, number)).collect();
        assert_eq!(all, (0..100).map(|number| told(1, number)).collect::<Vec<_>>());
        assert_eq!(all[7].0, "1.7");
        assert_ne!(told(1, 3).1, told(2, 3).1);
        let different: HashSet<_> = all.iter().map(|plan| &plan.1).collect();
        assert!(different.len() > 95, "{}", different.len());
        let lengths: HashSet<_> = all.iter().map(|plan| plan.3).collect();
        assert!(lengths.len() > 15 && lengths.iter().flatten().all(|length| (6..=26).contains(length)));
        let slips: HashSet<_> = all.iter().map(|plan| plan.2).collect();
        assert_eq!(slips.len(), 2);
    }
}
