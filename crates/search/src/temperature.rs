//! Randomness in the move played.

use chess::{Game, MOST_MOVES, plies_before};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::tunables::tunables;

tunables! {
    /// Randomness of the choice among the root's moves.
    TemperatureOptions

    "Temperature" temperature: f32 = 0.0 in 0.0, 100.0;
    "Randomness of the move played: probability proportional to visits^(1/temperature); 0 always plays the best move."

    "TemperaturePlies" plies: u64 = 0 in 0, 1000;
    "Half-moves of the game during which the temperature applies; 0 for the whole game."

    "TopK" top_k: u64 = 0 in 0, MOST_MOVES as u64;
    "Moves among which a temperature chooses when the policy plays without search; 0 for all of them."
}

impl TemperatureOptions {
    /// True if the choice is random at this point of the game.
    pub(crate) fn applies(&self, game: &Game) -> bool {
        let plies = u64::from(plies_before(game.position()));
        self.temperature > 0.0 && (self.plies == 0 || plies < self.plies)
    }
}

/// Raises priors to the power of the inverse temperature and normalises them: temperatures above 1 bring them closer
/// together.
pub fn temper(priors: &mut [f32], temperature: f32) {
    let exponent = 1.0 / temperature;
    for prior in priors.iter_mut() {
        *prior = prior.powf(exponent);
    }
    let total: f32 = priors.iter().sum();
    // The largest prior is at least one in [`MOST_MOVES`], and its power is far from zero at every temperature that may be
    // set.
    for prior in priors {
        *prior /= total;
    }
}

/// Draws an index with probability proportional to weight^(1/temperature). Weights are divided by the largest first, so
/// that no power overflows and a small temperature becomes the maximum without a division by zero.
pub(crate) fn draw(weights: &[f64], temperature: f64, random: &mut Xoshiro256PlusPlus) -> usize {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return 0;
    }
    let powers: Vec<f64> = weights.iter().map(|weight| (weight / largest).powf(1.0 / temperature)).collect();
    let at = random.random::<f64>() * powers.iter().sum::<f64>();
    // A remainder goes to the last move with a positive probability.
    index_at(&powers, at).or_else(|| powers.iter().rposition(|&power| power > 0.0)).unwrap_or(0)
}

/// The index of the weight in which a point lies, if the weights stand side by side from 0 on. `None` if it lies beyond them: the
/// sum of which the point is a part may have been rounded up.
pub(crate) fn index_at(weights: &[f64], mut at: f64) -> Option<usize> {
    weights.iter().position(|weight| {
        at -= weight;
        at < 0.0
    })
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn s2_k4_small_temperatures_are_the_maximum_and_nothing_overflows() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        for temperature in [1e-6, 1e-3, 0.01] {
            for _ in 0..100 {
                assert_eq!(draw(&[10.0, 1e9, 9e8, 0.0], temperature, &mut random), 1);
            }
        }
    }

    #[test]
    fn tempered_priors_add_up_to_one_and_their_ratios_are_powers() {
        let priors = [0.5, 0.3, 0.2, 0.0];
        for (temperature, compared) in
            [(0.5_f32, 25.0_f32 / 9.0), (1.0, 5.0 / 3.0), (2.0, (5.0_f32 / 3.0).sqrt())]
        {
            let mut found = priors;
            temper(&mut found, temperature);
            assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-6 && found[3] == 0.0, "{found:?}");
            assert!((found[0] / found[1] - compared).abs() < 1e-5, "{temperature}: {found:?}");
        }
        let mut even = [1.0 / MOST_MOVES as f32; MOST_MOVES];
        temper(&mut even, 0.1);
        assert!(even.iter().all(|prior| (prior * MOST_MOVES as f32 - 1.0).abs() < 1e-4), "{}", even[0]);
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
