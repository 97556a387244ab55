//! The random mover: the lowest baseline.

use chess::{Game, Limits, StopSignal};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

/// Plays every legal move with the same probability.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    random: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A random mover; the seed of [`Player::new_game`] decides its moves.
    pub fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &'static str {
        "random"
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _limits: &Limits, _stop: &StopSignal) -> Result<Choice, PlayerError> {
        let moves = game.legal_moves();
        if moves.is_empty() {
            return Err(no_legal_move(game));
        }
        let chess_move = moves[self.random.random_range(..moves.len())];
        Ok(Choice { chess_move, info: MoveInfo::default() })
    }
}
