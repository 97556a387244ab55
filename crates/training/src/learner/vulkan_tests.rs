//! Compares training on Vulkan with training on the processor.

use network::{DeviceKind, synthetic};

use super::*;

const STEPS: usize = 100;

/// The largest allowed difference of a loss in the first steps from the processor's, before rounding has led to
/// different weights.
const FIRST_LOSSES: f32 = 1e-3;

/// The largest allowed relative difference of the mean of the last ten losses.
const LAST_LOSSES: f32 = 0.05;

/// The largest allowed difference of an output of the trained network.
const ANSWERS: f32 = 1e-3;

#[test]
fn vulkan_trains_and_evaluates_as_the_processor_does() {
    for text in [
        "blocks = 2\nchannels = 16\nsqueeze_excite = { ratio = 4 }",
        "blocks = 1\nchannels = 8\nactivation = \"tanh\"",
    ] {
        let spec = Spec::from_toml(text).unwrap();
        let batches: Vec<Batch> =
            (0..4).map(|seed| synthetic::batch(&spec, &synthetic::positions(32, seed), seed)).collect();
        let learner = |kind| {
            let device = Device::open(kind).unwrap();
            Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 3, &device).unwrap()
        };
        let [mut processor, mut vulkan] = [DeviceKind::Cpu, DeviceKind::Vulkan].map(learner);
        assert_eq!(vulkan.arithmetic(), "Burn on vulkan, f32");
        let [expected, found] = [&mut processor, &mut vulkan].map(|learner| -> Vec<f32> {
            let step = |step: usize| &batches[step % batches.len()];
            (0..STEPS).map(|number| learner.step(step(number), 3e-3).unwrap().total_loss).collect()
        });
        for (found, expected) in found.iter().zip(&expected).take(5) {
            assert!((found - expected).abs() < FIRST_LOSSES, "{text}: {found} and {expected}");
        }
        let last = |losses: &[f32]| losses[STEPS - 10..].iter().sum::<f32>() / 10.0;
        assert!(last(&found) < 0.8 * found[0], "{text}: {found:?}");
        assert!(
            (last(&found) / last(&expected) - 1.0).abs() < LAST_LOSSES,
            "{text}: {found:?} and {expected:?}"
        );

        // The processor evaluates the network that was trained on Vulkan.
        let statistics = vulkan.measure_statistics(&batches).unwrap();
        let weights = vulkan.average();
        let [expected, found] = [&mut processor, &mut vulkan]
            .map(|learner| learner.forward(&weights, &statistics, &batches[0]).unwrap());
        for (found, expected) in [(found.logits, expected.logits), (found.values, expected.values)] {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() < ANSWERS * (1.0 + expected.abs()),
                    "{text}: {found} and {expected}"
                );
            }
        }
    }
}
