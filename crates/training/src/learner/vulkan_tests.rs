//! A training on Vulkan against the same on the processor.

use network::{DeviceKind, synthetic};

use super::*;

const STEPS: usize = 100;

/// Most that a loss of the first steps may differ from the processor's, before rounding has led to other weights.
const FIRST_LOSSES: f32 = 1e-3;

/// Most that the mean of the last ten may differ, as a part of it.
const LAST_LOSSES: f32 = 0.05;

/// Most that an answer of the network that was trained may differ.
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

        // The processor evaluates what was trained on Vulkan.
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
