//! Compares the kernels with Burn's automatic differentiation on whole networks.

use crate::{
    Device, DeviceKind, Spec, TrainingPrecision,
    architecture::Architecture,
    passes::{NormStatistics, Passes, tests::Squares},
    synthetic,
};

/// Every kind of layer, head and activation.
pub(super) const SPECS: [&str; 4] = [
    "blocks = 2\nchannels = 16",
    "blocks = 2\nchannels = 24\nsqueeze_excite = { ratio = 4, blocks = [1] }\npolicy = { kind = \"convolution\" }",
    "blocks = 1\nchannels = 20\nstem = \"pointwise\"\nactivation = \"mish\"\nsqueeze_excite = { ratio = 2 }\n\
     policy = { kind = \"dense\", channels = 4 }\nvalue = { kind = \"scalar\" }",
    "input = \"lc0-112\"\nblocks = 1\nchannels = 16\nactivation = \"swish\"\npolicy = { kind = \"pointwise\" }",
];

fn both(architecture: &Architecture) -> [Box<dyn Passes>; 2] {
    [DeviceKind::Cpu, DeviceKind::BurnCpu]
        .map(|kind| architecture.passes(&Device::open(kind).unwrap(), TrainingPrecision::F32).unwrap())
}

pub(crate) fn relative_difference(found: &[f32], expected: &[f32]) -> f64 {
    let square =
        |values: &mut dyn Iterator<Item = f32>| values.map(|value| f64::from(value * value)).sum::<f64>();
    let difference = square(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    (difference / square(&mut expected.iter().copied()).max(1e-20)).sqrt()
}

#[test]
fn gradients_equal_those_of_automatic_differentiation() {
    for text in SPECS {
        let spec = Spec::from_toml(text).unwrap();
        let architecture = Architecture::new(&spec).unwrap();
        let parameters = architecture.initial_parameters(5).unwrap();
        let batch = synthetic::batch(&spec, &synthetic::positions(24, 4), 4);
        let [found, expected] =
            both(&architecture).map(|mut passes| passes.gradients(&parameters, &batch, &Squares, 0).unwrap());
        assert!((found.policy_loss - expected.policy_loss).abs() < 1e-4, "{text}");
        assert!((found.value_loss - expected.value_loss).abs() < 1e-4, "{text}");
        let gradients = found.gradients.iter().zip(&expected.gradients);
        // Sums very close to zero may fall on either side of a ReLU's kink, which changes a few gradients completely.
        for ((found, expected), shape) in gradients.zip(architecture.parameters()) {
            let difference = relative_difference(found, expected);
            assert!(difference < 3e-3, "{text}\n{}: {difference}", shape.name);
        }
        let difference = relative_difference(&found.gradients.concat(), &expected.gradients.concat());
        assert!(difference < 1e-3, "{text}\nall gradients: {difference}");
    }
}

#[test]
fn answers_and_statistics_equal_those_of_burn() {
    for text in SPECS {
        let spec = Spec::from_toml(text).unwrap();
        let architecture = Architecture::new(&spec).unwrap();
        let parameters = architecture.initial_parameters(9).unwrap();
        let batch = synthetic::batch(&spec, &synthetic::positions(30, 2), 2);
        let [mut kernels, mut burn] = both(&architecture);
        let expected = burn.forward(&parameters, NormStatistics::Batch, &batch).unwrap();
        let found = kernels.forward(&parameters, NormStatistics::Batch, &batch).unwrap();
        for (found, expected) in found.statistics.iter().zip(&expected.statistics) {
            assert!(relative_difference(found, expected) < 1e-4, "{text}");
        }
        let stored = NormStatistics::Stored(&expected.statistics);
        let [found, expected] =
            [&mut kernels, &mut burn].map(|passes| passes.forward(&parameters, stored, &batch).unwrap());
        assert!(relative_difference(&found.logits, &expected.logits) < 1e-4, "{text}");
        assert!(relative_difference(&found.values, &expected.values) < 1e-4, "{text}");
    }
}
