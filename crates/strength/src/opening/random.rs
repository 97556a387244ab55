//! Random openings.

use std::collections::HashSet;

use chess::Game;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{MatchOpening, OpeningError};

/// Attempts per opening before the plies count as too few for the number of openings.
const ATTEMPTS_PER_OPENING: usize = 50;

pub(super) fn openings(plies: u32, count: usize, seed: u64) -> Result<Vec<MatchOpening>, OpeningError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(count);
    for _ in 0..count.saturating_mul(ATTEMPTS_PER_OPENING) {
        if openings.len() == count {
            break;
        }
        let game = random_plies(&Game::default(), plies, &mut random);
        let Some(game) = game.filter(|game| game.outcome().is_none()) else { continue };
        if seen.insert(game.key()) {
            let name = format!("random {}", openings.len() + 1);
            openings.push(MatchOpening { name, game });
        }
    }
    if openings.len() < count {
        return Err(OpeningError::TooFew { plies, found: openings.len(), wanted: count });
    }
    Ok(openings)
}

/// The game after `plies` random moves; `None` if it was over before the last of them.
pub fn random_plies(start: &Game, plies: u32, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let mut game = start.clone();
    for _ in 0..plies {
        if game.outcome().is_some() {
            return None;
        }
        let moves = game.legal_moves();
        game.play_unchecked(moves[random.random_range(..moves.len())]);
    }
    Some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fens(seed: u64) -> Vec<String> {
        openings(8, 50, seed).unwrap().iter().map(|opening| opening.game.fen()).collect()
    }

    #[test]
    fn equal_seeds_equal_openings_all_different() {
        let first = fens(3);
        assert_eq!(first, fens(3));
        assert_ne!(first, fens(4));
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 50);
    }

    #[test]
    fn too_few_plies() {
        assert!(matches!(openings(1, 21, 0), Err(OpeningError::TooFew { found: 20, .. })));
    }
}
