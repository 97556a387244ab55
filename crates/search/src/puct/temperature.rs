//! The choice of the move to play among the root's moves.

use chess::{Game, Position, RootMove};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    root::{is_proven_loss, is_proven_win, ranking},
    tree::{ROOT, Tree},
};
use crate::PuctOptions;

/// The index of the move to play in `root_moves`, which are in ranking order: the first or, under a temperature, one
/// drawn with probability proportional to visits^(1/T), or to prior^(1/T) where nothing was visited.
///
/// A proven win is always played, and a proven loss never while there is anything else.
pub(crate) fn choose(
    tree: &Tree,
    root_moves: &[RootMove],
    options: &PuctOptions,
    game: &Game,
    random: &mut Xoshiro256PlusPlus,
) -> usize {
    let order = ranking(tree, ROOT);
    let certain =
        order.first().is_none_or(|&first| is_proven_win(tree, first) || is_proven_loss(tree, first));
    if options.temperature == 0.0 || certain || !applies(options, game) {
        return 0;
    }
    let candidates = order.iter().take_while(|&&ordinal| !is_proven_loss(tree, ordinal)).count();
    let root_moves = &root_moves[..candidates.min(root_moves.len())];
    let visited = root_moves.iter().any(|root_move| root_move.visits > 0);
    let weights: Vec<f64> = root_moves
        .iter()
        .map(|root_move| if visited { root_move.visits as f64 } else { f64::from(root_move.prior) })
        .collect();
    draw(&weights, f64::from(options.temperature), random)
}

/// Whether the temperature applies at this point of the game.
pub(crate) fn applies(options: &PuctOptions, game: &Game) -> bool {
    let position = game.position();
    let plies = 2 * u64::from(position.fullmoves().get() - 1) + u64::from(position.turn().is_black());
    options.temperature_plies == 0 || plies < options.temperature_plies
}

/// Draws an index with probability proportional to weight^(1/temperature). Weights are divided by the largest first, so
/// that no power overflows and a small temperature becomes the maximum without a division by zero.
pub(crate) fn draw(weights: &[f64], temperature: f64, random: &mut Xoshiro256PlusPlus) -> usize {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return 0;
    }
    let powers: Vec<f64> = weights.iter().map(|weight| (weight / largest).powf(1.0 / temperature)).collect();
    let mut left = random.random::<f64>() * powers.iter().sum::<f64>();
    for (index, power) in powers.iter().enumerate() {
        left -= power;
        if left < 0.0 {
            return index;
        }
    }
    // Rounding may leave a remainder; it belongs to the last move that can be drawn at all.
    powers.iter().rposition(|&power| power > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn small_temperatures_are_the_maximum_and_nothing_overflows() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        for temperature in [1e-6, 1e-3, 0.01] {
            for _ in 0..100 {
                assert_eq!(draw(&[10.0, 1e9, 9e8, 0.0], temperature, &mut random), 1);
            }
        }
    }

    #[test]
    fn what_was_never_visited_is_never_drawn() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        for _ in 0..1000 {
            assert_ne!(draw(&[3.0, 0.0, 1.0, 0.0], 100.0, &mut random) % 2, 1);
        }
        assert_eq!(draw(&[0.0, 0.0], 1.0, &mut random), 0);
    }
}
