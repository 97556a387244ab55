//! Dirichlet noise in the root's priors, for variety in self-play.

use chess::Color;
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    numbers::{NOISE_ALPHA, NoiseOptions},
    priors::set_at_root,
    tree::{Edge, ROOT, Tree},
};
use crate::packed::PackedPrior;

/// Mixes `P' = (1 - epsilon) P + epsilon Dirichlet(alpha)` into the root's priors (AlphaZero) and returns the edges as
/// they were, for [`set_at_root`] to restore.
pub(crate) fn add(
    tree: &Tree,
    turn: Color,
    options: &NoiseOptions,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Edge> {
    let original = tree.edges(ROOT);
    let noise = dirichlet(original.len(), NOISE_ALPHA, random);
    let noisy: Vec<Edge> = original
        .iter()
        .zip(noise)
        .map(|(edge, noise)| {
            let mixed = (1.0 - options.epsilon) * edge.prior.get() + options.epsilon * noise;
            Edge { prior: PackedPrior::pack(mixed), ..*edge }
        })
        .collect();
    set_at_root(tree, turn, &noisy);
    original
}

/// A sample of the symmetric Dirichlet distribution: independent gamma variates, normalised. Uniform if the variates
/// underflow to zero.
fn dirichlet(count: usize, alpha: f32, random: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    let uniform = vec![1.0 / count.max(1) as f32; count];
    let gamma = Gamma::new(f64::from(alpha), 1.0).expect("the option's range begins above 0");
    let variates: Vec<f64> = (0..count).map(|_| gamma.sample(random)).collect();
    let total: f64 = variates.iter().sum();
    if total > 0.0 { variates.into_iter().map(|variate| (variate / total) as f32).collect() } else { uniform }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn samples_are_distributions_with_the_right_mean_and_variance() {
        const SAMPLES: usize = 20_000;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        for (count, alpha) in [(20, 0.3_f32), (5, 1.0), (2, 10.0)] {
            let samples: Vec<Vec<f32>> = (0..SAMPLES).map(|_| dirichlet(count, alpha, &mut random)).collect();
            for sample in &samples {
                assert!((sample.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                assert!(sample.iter().all(|&part| part >= 0.0));
            }
            // Of a symmetric Dirichlet distribution: mean 1/k, variance (k - 1) / (k^2 (k alpha + 1)).
            let classes = count as f64;
            let variance = (classes - 1.0) / (classes * classes * (classes * f64::from(alpha) + 1.0));
            let first: Vec<f64> = samples.iter().map(|sample| f64::from(sample[0])).collect();
            let mean = first.iter().sum::<f64>() / SAMPLES as f64;
            let spread = first.iter().map(|part| (part - mean).powi(2)).sum::<f64>() / SAMPLES as f64;
            assert!((mean - 1.0 / classes).abs() < 4.0 * (variance / SAMPLES as f64).sqrt());
            assert!((spread / variance - 1.0).abs() < 0.1, "{spread} instead of {variance}");
        }
    }

    #[test]
    fn concentrations_too_small_for_floats_give_a_distribution_all_the_same() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        for _ in 0..100 {
            let sample = dirichlet(7, 1e-3, &mut random);
            assert!((sample.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{sample:?}");
        }
    }
}
