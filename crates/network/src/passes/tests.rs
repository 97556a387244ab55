use super::*;
use crate::{
    Spec,
    architecture::{Architecture, PlaneArchitecture},
    synthetic,
};

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
