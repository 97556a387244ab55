//! Play at a rating, as COGS188 ChessCNNMCTS emulated it: values with noise, moves drawn at random.

use rand::RngExt as _;
use rand_distr::{Distribution, Normal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{temperature::index_at, tunables::tunables};

tunables! {
    /// Rating to emulate.
    EmulationOptions

    "EmulatedElo" elo: u64 = 0 in 0, 2800;
    "One ply: blurs values and draws moves as COGS188 did for a player of this rating, 800 to 2800; 0 plays the best move."

    "EmulationTemperature" temperature: f32 = 0.5 in 0.01, 100.0;
    "One ply: pawns over which a move's probability falls to 1/e at the highest emulated rating (COGS188's value)."
}

/// The highest rating, at which moves are drawn with the temperature as it is.
const HIGHEST: f64 = 2800.0;

impl EmulationOptions {
    /// The values, from -1 to 1, with the noise of a player of the rating, in pawns: `10 v q + N(0, 2 (1 -
    /// q))` with the quality `q = 1 / (1 + exp((1500 - elo) / 400))`.
    pub(super) fn blurred(&self, values: &[f32], random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let quality = 1.0 / (1.0 + ((1500.0 - self.elo as f64) / 400.0).exp());
        let noise = Normal::new(0.0, 2.0 * (1.0 - quality)).expect("the quality lies between 0 and 1");
        values.iter().map(|&value| 10.0 * f64::from(value) * quality + noise.sample(random)).collect()
    }

    /// Draws an index by the softmax of pawns with the temperature `T (1 + 2 (2800 - elo) / 2000)`.
    pub(super) fn draw(&self, pawns: &[f64], random: &mut Xoshiro256PlusPlus) -> usize {
        let temperature = f64::from(self.temperature) * (1.0 + 2.0 * (HIGHEST - self.elo as f64) / 2000.0);
        let largest = pawns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = pawns.iter().map(|pawns| ((pawns - largest) / temperature).exp()).collect();
        let at = random.random::<f64>() * weights.iter().sum::<f64>();
        index_at(&weights, at).unwrap_or(weights.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    const SAMPLES: usize = 20_000;

    #[test]
    fn values_are_scaled_by_quality_and_blurred_by_what_it_lacks() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        // 1 / (1 + e^(700/400)), 1/2 and 1 / (1 + e^(-1300/400)).
        for (elo, quality) in [(800, 0.148_047), (1500, 0.5), (2800, 0.962_673)] {
            let options = EmulationOptions { elo, ..EmulationOptions::default() };
            let pawns = options.blurred(&vec![0.3; SAMPLES], &mut random);
            let mean = pawns.iter().sum::<f64>() / SAMPLES as f64;
            let deviation =
                (pawns.iter().map(|pawns| (pawns - mean).powi(2)).sum::<f64>() / SAMPLES as f64).sqrt();
            let expected = 2.0 * (1.0 - quality);
            assert!((mean - 3.0 * quality).abs() < 4.0 * expected / (SAMPLES as f64).sqrt(), "{elo}: {mean}");
            assert!((deviation / expected - 1.0).abs() < 0.03, "{elo}: {deviation}");
        }
    }

    #[test]
    fn moves_are_drawn_by_the_softmax_of_the_rating() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        // One temperature apart at 2800; a third of one at 800, where the temperature is three times as high.
        for (elo, apart) in [(2800, 1.0_f64), (800, 1.0 / 3.0)] {
            let options = EmulationOptions { elo, temperature: 0.5 };
            let drawn = (0..SAMPLES).filter(|_| options.draw(&[1.0, 1.5], &mut random) == 1).count();
            let (share, expected) = (drawn as f64 / SAMPLES as f64, 1.0 / (1.0 + (-apart).exp()));
            assert!(
                (share - expected).abs() < 4.0 * 0.5 / (SAMPLES as f64).sqrt(),
                "{elo}: {share} {expected}"
            );
        }
    }
}
