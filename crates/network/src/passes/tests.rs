use super::*;
use crate::{Spec, architecture::Architecture, planes::layers::tests::kernels, synthetic};

/// An objective with a different slope for every output: the mean of `output + output^2 / 2` over the outputs of each head.
pub(crate) struct Squares;

impl Objective for Squares {
    fn gradients(&self, _: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients {
        let loss = |outputs: &[f32]| {
            let sum: f32 = outputs.iter().map(|output| output + output * output / 2.0).sum();
            sum / outputs.len().max(1) as f32
        };
        let slopes = |outputs: &[f32]| -> Vec<f32> {
            outputs.iter().map(|output| (1.0 + output) / outputs.len() as f32).collect()
        };
        OutputGradients {
            policy_loss: loss(outputs.policy),
            value_loss: loss(outputs.value),
            illegal_move_loss: None,
            policy: slopes(outputs.policy),
            value: slopes(outputs.value),
        }
    }
}

#[test]
fn a_batch_of_another_encoding_is_refused() {
    let architecture = Architecture::new(&synthetic::tiny_spec()).unwrap();
    let parameters = architecture.initial_parameters(1).unwrap();
    let other = Spec::from_toml("input = \"lc0-112\"\nblocks = 1\nchannels = 16").unwrap();
    let batch = synthetic::batch(&other, &synthetic::positions(2, 1), 1);
    let mut passes = architecture.forward().unwrap();
    let error = passes.forward(&parameters, NormStatistics::Batch, &batch).unwrap_err().to_string();
    assert!(error.contains("a batch of 112 planes for a network of 20"), "{error}");
}

/// Towers with every kind of layer, head and activation.
const TOWERS: [&str; 4] = [
    "blocks = 2\nchannels = 16",
    "blocks = 2\nchannels = 24\nsqueeze_excite = { ratio = 4, blocks = [1] }\npolicy = { kind = \"convolution\" }",
    "blocks = 1\nchannels = 20\nstem = \"pointwise\"\nactivation = \"mish\"\nsqueeze_excite = { ratio = 2 }\n\
     policy = { kind = \"dense\", channels = 4 }\nvalue = { kind = \"scalar\" }",
    "input = \"lc0-112\"\nblocks = 1\nchannels = 16\nactivation = \"swish\"\npolicy = { kind = \"pointwise\" }",
];

/// The network on the kernels for towers and on those for lists of layers, which are compared with plain loops and finite
/// differences.
fn both(architecture: &Architecture) -> [Box<dyn Passes>; 2] {
    let tower = architecture.planes().unwrap().passes(TrainingPrecision::F32).unwrap();
    assert!(!tower.describe().contains("layer by layer"));
    [tower, Box::new(kernels(architecture.planes().unwrap()))]
}

fn relative_difference(found: &[f32], expected: &[f32]) -> f64 {
    let square =
        |values: &mut dyn Iterator<Item = f32>| values.map(|value| f64::from(value * value)).sum::<f64>();
    let difference = square(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    (difference / square(&mut expected.iter().copied()).max(1e-20)).sqrt()
}

#[test]
fn the_gradients_of_towers_are_those_of_their_lists_of_layers() {
    for text in TOWERS {
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
fn the_outputs_and_statistics_of_towers_are_those_of_their_lists_of_layers() {
    for text in TOWERS {
        let spec = Spec::from_toml(text).unwrap();
        let architecture = Architecture::new(&spec).unwrap();
        let parameters = architecture.initial_parameters(9).unwrap();
        let batch = synthetic::batch(&spec, &synthetic::positions(30, 2), 2);
        let [mut tower, mut list] = both(&architecture);
        let expected = list.forward(&parameters, NormStatistics::Batch, &batch).unwrap();
        let found = tower.forward(&parameters, NormStatistics::Batch, &batch).unwrap();
        for (found, expected) in found.statistics.iter().zip(&expected.statistics) {
            assert!(relative_difference(found, expected) < 1e-4, "{text}");
        }
        let stored = NormStatistics::Stored(&expected.statistics);
        let [found, expected] =
            [&mut tower, &mut list].map(|passes| passes.forward(&parameters, stored, &batch).unwrap());
        assert!(relative_difference(&found.logits, &expected.logits) < 1e-4, "{text}");
        assert!(relative_difference(&found.values, &expected.values) < 1e-4, "{text}");
    }
}
