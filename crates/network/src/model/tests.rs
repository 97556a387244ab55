//! Whole networks on the fast board operations against the same networks on Burn's own.

use super::*;
use crate::{Learner, LossConfig, OptimiserConfig, Spec, device::Kernels, synthetic};

fn compare(text: &str) {
    let spec = Spec::from_toml(text).unwrap();
    let batch = synthetic::batch(&spec, &synthetic::positions(24, 4), 4);
    let run = |kernels: Kernels| {
        let device = Device { kernels, ..Device::burn_cpu() };
        let mut learner =
            Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 2, &device).unwrap();
        let reports: Vec<_> = (0..3).map(|_| learner.step(&batch, 1e-3).unwrap()).collect();
        let statistics = learner.measure_statistics(std::slice::from_ref(&batch)).unwrap();
        (reports, statistics)
    };
    let ((fast, fast_statistics), (plain, plain_statistics)) = (run(Kernels::Fused), run(Kernels::Plain));
    for (fast, plain) in fast.iter().zip(&plain) {
        assert!((fast.total_loss - plain.total_loss).abs() < 1e-3, "{fast:?} {plain:?}");
        assert!(
            (fast.gradient_norm - plain.gradient_norm).abs() < 0.02 * plain.gradient_norm,
            "{fast:?} {plain:?}"
        );
    }
    for (fast, plain) in fast_statistics.into_iter().zip(plain_statistics) {
        let largest = fast.iter().zip(&plain).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest < 2e-2, "statistics differ by {largest}");
    }
}

#[test]
fn residual_networks_agree() {
    compare("blocks = 2\nchannels = 16");
}

#[test]
fn networks_with_squeeze_excite_and_the_convolutional_head_agree() {
    compare("blocks = 2\nchannels = 16\nsqueeze_excite = { ratio = 4 }\npolicy = { kind = \"convolution\" }");
}

#[test]
fn networks_with_another_activation_a_dense_head_and_a_scalar_value_agree() {
    compare(
        "blocks = 1\nchannels = 16\nactivation = \"mish\"\npolicy = { kind = \"dense\", channels = 4 }\n\
         value = { kind = \"scalar\" }",
    );
}

#[test]
fn the_seed_decides_the_initial_weights() {
    let architecture = Architecture::new(&synthetic::tiny_spec()).unwrap();
    let weights = |seed: u64| -> Vec<f32> {
        let parameters = initial_parameters(&architecture, seed).unwrap();
        parameters.concat()
    };
    assert_eq!(weights(1), weights(1));
    assert_ne!(weights(1), weights(2));
}
