//! The effect of a coarser number format on a network's output.

use dataset::Batch;
use serde::Serialize;

use super::CpuNetwork;

/// Differences between the outputs of two networks on the same positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Number of positions compared.
    pub positions: u64,
    /// Fraction of positions with the same most probable move.
    pub same_best_move: f64,
    /// Mean Kullback-Leibler divergence of the policy in nats: sum of p ln(p / q), where p is the exact network's
    /// policy.
    pub policy_divergence: f64,
    /// Mean absolute difference of the expected scores, which range from 0 to 1.
    pub value_error: f64,
    /// The largest such difference.
    pub largest_value_error: f64,
}

impl Agreement {
    /// Default number of positions for `tabiya net compare`.
    pub const POSITIONS: u32 = 10_000;
}

/// Compares `coarse` with `exact` on samples encoded for both.
pub fn agreement(exact: &CpuNetwork, coarse: &CpuNetwork, batches: &[Batch]) -> Agreement {
    let mut sums = Agreement::default();
    for batch in batches {
        let mut answers = Vec::with_capacity(batch.size);
        exact.predict(batch, |_, wdl, priors| answers.push((wdl, priors.to_vec())));
        coarse.predict(batch, |sample, wdl, priors| {
            let (exact_wdl, exact_priors) = &answers[sample];
            sums.positions += 1;
            sums.same_best_move += f64::from(u8::from(best(exact_priors) == best(priors)));
            sums.policy_divergence += divergence(exact_priors, priors);
            let error = f64::from((exact_wdl.expected_score() - wdl.expected_score()).abs());
            sums.value_error += error;
            sums.largest_value_error = sums.largest_value_error.max(error);
        });
    }
    let count = sums.positions.max(1) as f64;
    for sum in [&mut sums.same_best_move, &mut sums.policy_divergence, &mut sums.value_error] {
        *sum /= count;
    }
    sums
}

fn best(priors: &[f32]) -> Option<usize> {
    (0..priors.len()).max_by(|&a, &b| priors[a].total_cmp(&priors[b]))
}

fn divergence(exact: &[f32], coarse: &[f32]) -> f64 {
    let term = |(&exact, &coarse): (&f32, &f32)| {
        let (exact, coarse) = (f64::from(exact), f64::from(coarse.max(f32::MIN_POSITIVE)));
        if exact > 0.0 { exact * (exact / coarse).ln() } else { 0.0 }
    };
    exact.iter().zip(coarse).map(term).sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_divergence_is_that_of_the_textbook() {
        let found = divergence(&[0.5, 0.5, 0.0], &[0.25, 0.5, 0.25]);
        assert!((found - 0.5 * 2.0_f64.ln()).abs() < 1e-9);
        assert_eq!(divergence(&[0.3, 0.7], &[0.3, 0.7]), 0.0);
    }
}
