//! Weights of several learners that are combined into one.

/// Number of rounds of the selection, which determines the resolution of the weights. Chosen: steps of a twentieth.
const ROUNDS: u32 = 20;

/// Number of steps from 0 to 1 in which a share is tried. Chosen.
const SHARES: u8 = 20;

/// Mean absolute error, in the unit of predictions and targets.
pub(crate) fn mean_absolute_error(predictions: &[f32], targets: &[f32]) -> f64 {
    let sum: f64 =
        predictions.iter().zip(targets).map(|(found, target)| f64::from((found - target).abs())).sum();
    sum / targets.len() as f64
}

/// Weights that add up to one and reduce the mean absolute error of the weighted mean. In each round, the
/// learner that lowers the error most is added; a learner may be added more than once, and the best round is
/// used (Caruana and others, "Ensemble selection from libraries of models", 2004). The first round selects
/// the best single learner, so on these samples the ensemble is never worse than it.
///
/// # Shapes
/// `predictions` `[learners][samples]`, `targets` `[samples]` -> `[learners]`
pub(crate) fn select(predictions: &[Vec<f32>], targets: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0_f32; targets.len()];
    let mut counts = vec![0_u32; predictions.len()];
    let mut best: Option<(f64, Vec<u32>)> = None;
    // A learner that joins again gets more weight, so weights need no optimiser of their own, and twenty rounds cannot fit them to
    // noise as a least-squares fit of similar learners would.
    for round in 1..=ROUNDS {
        let errors = predictions.iter().map(|learner| {
            let mean: Vec<f32> =
                sum.iter().zip(learner).map(|(sum, one)| (sum + one) / round as f32).collect();
            mean_absolute_error(&mean, targets)
        });
        let Some((joining, error)) = errors.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        for (sum, one) in sum.iter_mut().zip(&predictions[joining]) {
            *sum += one;
        }
        counts[joining] += 1;
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, counts.clone()));
        }
    }
    let counts = best.map_or(counts, |(_, counts)| counts);
    normalised(&counts.into_iter().map(|count| count as f32).collect::<Vec<_>>())
}

/// Weights divided by their sum.
pub(crate) fn normalised(weights: &[f32]) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The share of the first of two predictions that gives their mixture the smallest mean absolute error, in steps of one in
/// [`SHARES`].
pub(crate) fn best_share(first: &[f32], second: &[f32], targets: &[f32]) -> f32 {
    let shares = (0..=SHARES).map(|step| f32::from(step) / f32::from(SHARES));
    let errors = shares.map(|share| (share, mean_absolute_error(&mixed(first, second, share), targets)));
    errors.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(share, _)| share)
}

/// The mixture of `share` of the first and the rest of the second.
pub(crate) fn mixed(first: &[f32], second: &[f32], share: f32) -> Vec<f32> {
    first.iter().zip(second).map(|(first, second)| share * first + (1.0 - share) * second).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_ensemble_is_never_worse_than_its_best_member(
            values in prop::collection::vec(prop::array::uniform4(-9.0_f32..9.0), 1..40),
        ) {
            let targets: Vec<f32> = values.iter().map(|row| row[3]).collect();
            let predictions: Vec<Vec<f32>> = (0..3).map(|i| values.iter().map(|row| row[i]).collect()).collect();
            let weights = select(&predictions, &targets);
            prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let mean: Vec<f32> = values.iter().map(|row| (0..3).map(|i| weights[i] * row[i]).sum()).collect();
            let least = predictions.iter().map(|one| mean_absolute_error(one, &targets)).fold(f64::MAX, f64::min);
            prop_assert!(mean_absolute_error(&mean, &targets) <= least + 1e-4);
        }
    }

    #[test]
    fn errors_that_cancel_are_weighed_alike() {
        let targets = [1.0, 2.0, 3.0, 4.0];
        let above: Vec<f32> = targets.iter().map(|target| target + 1.0).collect();
        let below: Vec<f32> = targets.iter().map(|target| target - 1.0).collect();
        let useless = vec![50.0; 4];
        assert_eq!(select(&[above.clone(), useless, below.clone()], &targets), [0.5, 0.0, 0.5]);
        assert_eq!(best_share(&above, &below, &targets), 0.5);
        assert_eq!(best_share(&targets, &below, &targets), 1.0);
    }
}
