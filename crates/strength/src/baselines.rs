use chess::{Game, Move};

use crate::player::MaterialPlayer;

/// Results of trivial players. Each chooses among some moves with equal probability, so its result is computed and not
/// played.
pub(crate) struct Baselines<T> {
    pub(crate) random: T,
    pub(crate) first_legal: T,
    pub(crate) material: T,
}

impl<T> Baselines<T> {
    /// The result of each, from the moves among which it chooses.
    pub(crate) fn of(result: impl Fn(fn(&Game) -> Vec<Move>) -> T) -> Self {
        Self {
            random: result(|game| game.legal_moves().to_vec()),
            first_legal: result(|game| game.legal_moves().iter().take(1).copied().collect()),
            material: result(MaterialPlayer::best_moves),
        }
    }
}

/// The probability that a uniform choice among `moves` is `wanted`.
pub(crate) fn chance_of(wanted: Move, moves: &[Move]) -> f64 {
    f64::from(u8::from(moves.contains(&wanted))) / moves.len().max(1) as f64
}
