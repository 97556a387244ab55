//! Compares every kind of layer on Vulkan with the processor: the outputs of Burn's GPU kernels, and their gradients.
//!
//! The bounds hold for Mesa's llvmpipe, a Vulkan driver that runs on the processor, as well as for a GPU: both compute in f32
//! and add in a different order.

use super::tests::{SPECS as TOWERS, relative_difference};
use crate::{
    CpuOptions, Device, DeviceKind, Spec, TrainingPrecision,
    architecture::Architecture,
    evaluator,
    layers::tests::SPECS as LISTS,
    passes::{NormStatistics, Passes, tests::Squares},
    synthetic,
    weights::layers_tests::{check_on_burn, random_weights},
};

/// The largest allowed difference of the outputs, relative to their norm.
const ANSWERS: f64 = 1e-4;

/// As above, for the gradients of all parameters together.
const GRADIENTS: f64 = 1e-3;

fn vulkan() -> Device {
    Device::open(DeviceKind::Vulkan).unwrap()
}

fn both(architecture: &Architecture) -> [Box<dyn Passes>; 2] {
    [Device::open(DeviceKind::BurnCpu).unwrap(), vulkan()]
        .map(|device| architecture.passes(&device, TrainingPrecision::F32).unwrap())
}

#[test]
fn vulkan_answers_and_gradients_are_those_of_the_processor() {
    for text in TOWERS.into_iter().chain(LISTS) {
        let spec = Spec::from_toml(text).unwrap();
        let architecture = Architecture::new(&spec).unwrap();
        let parameters = architecture.initial_parameters(5).unwrap();
        let batch = synthetic::batch(&spec, &synthetic::positions(24, 4), 4);
        let [mut processor, mut device] = both(&architecture);
        assert_eq!(device.describe(), "Burn on vulkan, f32");

        let [expected, found] = [&mut processor, &mut device]
            .map(|passes| passes.forward(&parameters, NormStatistics::Batch, &batch).unwrap());
        for (found, expected) in found.statistics.iter().zip(&expected.statistics) {
            assert!(relative_difference(found, expected) < ANSWERS, "{text}");
        }
        let stored = NormStatistics::Stored(&expected.statistics);
        let [expected, found] =
            [&mut processor, &mut device].map(|passes| passes.forward(&parameters, stored, &batch).unwrap());
        for (found, expected) in [
            (&found.logits, &expected.logits),
            (&found.values, &expected.values),
            (&found.legal, &expected.legal),
        ] {
            assert_eq!(found.len(), expected.len(), "{text}");
            assert!(relative_difference(found, expected) < ANSWERS, "{text}");
        }

        // The dropped values are determined by the noise, so they are the same on both.
        let [expected, found] =
            [processor, device].map(|mut passes| passes.gradients(&parameters, &batch, &Squares, 7).unwrap());
        assert!((found.policy_loss - expected.policy_loss).abs() < 1e-4, "{text}");
        assert!((found.value_loss - expected.value_loss).abs() < 1e-4, "{text}");
        assert!(expected.gradients.iter().flatten().any(|gradient| gradient.abs() > 1e-4), "{text}");
        let difference = relative_difference(&found.gradients.concat(), &expected.gradients.concat());
        assert!(difference < GRADIENTS, "{text}\ngradients: {difference}");
    }
}

#[test]
fn vulkan_plays_what_plain_loops_answer() {
    for text in TOWERS.into_iter().chain(LISTS) {
        check_on_burn(&random_weights(Spec::from_toml(text).unwrap(), 6), DeviceKind::Vulkan);
    }
}

#[test]
fn vulkan_refuses_sparse_networks_by_name() {
    let bytes = include_bytes!("../../../../nets/default.tabiya");
    let message = evaluator::from_bytes(bytes, &vulkan(), CpuOptions::default()).err().unwrap().to_string();
    assert!(message.contains("vulkan") && message.contains("plays on --device cpu only"), "{message}");
}
