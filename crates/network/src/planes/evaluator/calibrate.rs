//! Activation ranges on real positions, for int8 quantisation.

use dataset::Batch;
use kernels::{Isa, Precision, Program};

use crate::{NetworkError, Weights, weights::ActivationRanges};

/// Number of bins in the histogram of each activation.
const BINS: usize = 2048;
/// Number of levels above zero.
const LEVELS: f64 = 255.0;

/// Default number of positions on which the ranges are measured.
pub const CALIBRATION_POSITIONS: u32 = 2048;

/// Measures the ranges of a network's activations on batches of real positions; `data` is the hash of the store they come from.
/// The range of an activation is the one with the smallest mean squared error of rounding to 255 levels, with values above it
/// clipped.
///
/// # Errors
/// [`NetworkError::Layer`] for a network that is not a tower, [`NetworkError::Kernel`] if the processor cannot run it.
pub fn calibrate(
    weights: &Weights,
    batches: &[Batch],
    data: String,
) -> Result<ActivationRanges, NetworkError> {
    let plan = weights.plan()?;
    let program = Program::compile(&plan, Isa::chosen()?, Precision::F32, None)?;
    let names = plan.tensors();
    let mut arena = program.arena();
    let mut watch = |see: &mut dyn FnMut(usize, &[f32])| {
        for batch in batches {
            program.watch(&mut arena, &batch.planes, see);
        }
    };
    let mut largest = vec![0.0_f32; names.len()];
    watch(&mut |tensor, values| largest[tensor] = values.iter().copied().fold(largest[tensor], f32::max));
    let mut histograms = vec![vec![0_u64; BINS]; names.len()];
    watch(&mut |tensor, values| {
        let (scale, histogram) =
            (BINS as f32 / largest[tensor].max(f32::MIN_POSITIVE), &mut histograms[tensor]);
        // Zero is itself a level, so it has no rounding error.
        for value in values.iter().filter(|value| **value > 0.0) {
            histogram[((value * scale) as usize).min(BINS - 1)] += 1;
        }
    });
    let ranges = names.into_iter().zip(largest.iter().zip(&histograms));
    Ok(ActivationRanges {
        positions: batches.iter().map(|batch| batch.size as u64).sum(),
        data,
        ranges: ranges.map(|(name, (largest, histogram))| (name, best_range(*largest, histogram))).collect(),
    })
}

/// The range with the smallest mean squared error, from a histogram of values up to `largest`.
fn best_range(largest: f32, histogram: &[u64]) -> f32 {
    let bin = f64::from(largest) / BINS as f64;
    let error = |bins: usize| {
        let range = bins as f64 * bin;
        // The rounding error is uniformly distributed up to half a level.
        let rounding = (range / LEVELS).powi(2) / 12.0;
        let inside: u64 = histogram[..bins].iter().sum();
        let outside = histogram.iter().enumerate().skip(bins);
        let cut =
            outside.map(|(number, count)| ((number as f64 + 0.5) * bin - range).powi(2) * *count as f64);
        rounding * inside as f64 + cut.sum::<f64>()
    };
    let best = (BINS / 16..=BINS).step_by(8).min_by(|a, b| error(*a).total_cmp(&error(*b)));
    (best.unwrap_or(BINS) as f64 * bin) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CpuNetwork, CpuOptions, planes::evaluator::agreement, planes::evaluator::tests::small_weights,
        synthetic,
    };

    #[test]
    fn rare_large_values_are_cut_off_and_even_ones_are_not() {
        let even = vec![100; BINS];
        assert!(best_range(4.0, &even) > 3.9);
        let mut rare = vec![0; BINS];
        rare[..BINS / 4].fill(100_000);
        rare[BINS - 1] = 1;
        let range = best_range(4.0, &rare);
        assert!((0.9..1.1).contains(&range), "{range}");
    }

    #[test]
    fn a_calibrated_network_plays_in_eight_bits_and_keeps_its_ranges_in_the_file() {
        let mut weights = small_weights(5);
        let measured = synthetic::batch(&weights.spec, &synthetic::positions(128, 1), 0);
        weights.calibration = Some(calibrate(&weights, &[measured], "synthetic".into()).unwrap());
        let weights = Weights::from_bytes(&weights.to_bytes().unwrap(), "test").unwrap();
        let batch = synthetic::batch(&weights.spec, &synthetic::positions(60, 12), 1);
        let on = |precision| CpuOptions { isa: Some(Isa::Portable), precision: Some(precision) };
        let exact = CpuNetwork::from_weights(&weights, on(Precision::F32)).unwrap();
        let coarse = CpuNetwork::from_weights(&weights, on(Precision::Int8)).unwrap();
        let found = agreement(&exact, &coarse, std::slice::from_ref(&batch));
        assert_eq!(found.positions, 60);
        assert!(found.policy_divergence < 0.05 && found.value_error < 0.05, "{found:?}");
        assert!(found.policy_divergence > 0.0, "eight bits leave a trace: {found:?}");
    }

    #[test]
    fn broken_ranges_are_named() {
        let mut weights = small_weights(5);
        let ranges = [("stem".to_owned(), 1.0)].into();
        weights.calibration = Some(ActivationRanges { positions: 1, data: "x".into(), ranges });
        let error = CpuNetwork::from_weights(&weights, CpuOptions::default()).unwrap_err().to_string();
        assert_eq!(
            error,
            "calibration: range of `block0.inner`: found nothing, expected a number, 0 or more"
        );
    }
}
