//! The forward pass with tensors, for training and for play.

use burn::tensor::Tensor;

use super::operators;
use crate::{architecture::PlaneArchitecture, device::BurnDevice, layers::layer_noise};

/// Every parameter of a network, in the order of its layers; each is a matrix.
pub(crate) type ParameterTensors = Vec<Tensor<2>>;

/// Mean and variance of every normalisation, `[2, channels]`, in the order of the layers.
pub(crate) type StatisticsTensors = Vec<Tensor<2>>;

/// Training or play: the source of the batch normalisations' mean and variance, and the behaviour that depends on it.
pub(crate) enum Mode {
    /// The batch itself, whose statistics are collected for the running statistics. Layers that use random numbers
    /// derive them from the seed.
    Batch {
        noise: Option<u64>,
    },
    Stored(StatisticsTensors),
}

/// The outputs of the heads and the statistics of a forward pass.
pub(crate) struct HeadTensors {
    /// The policy head's flat output, `[boards, policy_map.width()]`.
    pub(crate) policy: Option<Tensor<2>>,
    /// The value head's outputs before softmax or tanh, `[boards, outputs]`.
    pub(crate) value: Option<Tensor<2>>,
    /// Plies until the game ends, `[boards, 1]`; negative values mean zero.
    pub(crate) moves_left: Option<Tensor<2>>,
    /// The batch's own statistics in [`Mode::Batch`], empty otherwise.
    pub(crate) statistics: StatisticsTensors,
}

/// Runs the network.
///
/// # Shapes
/// inputs as in the list of layers, `[boards, channels, ranks, files]`; for the outputs, see [`HeadTensors`].
pub(crate) fn forward(
    architecture: &PlaneArchitecture,
    parameters: &[Tensor<2>],
    mode: &Mode,
    inputs: Vec<Tensor<4>>,
    device: &BurnDevice,
) -> HeadTensors {
    let list = &architecture.list;
    let (mut values, mut collected) = (inputs, Vec::new());
    for (number, layer) in list.layers.iter().enumerate() {
        let statistics = layer.statistics.map(|place| match mode {
            Mode::Stored(statistics) => statistics[place].clone(),
            Mode::Batch { .. } => {
                let statistics = batch_statistics(values[layer.inputs[0]].clone());
                collected.push(statistics.clone().inner());
                statistics
            }
        });
        let noise = match mode {
            Mode::Batch { noise } => layer_noise(*noise, number),
            Mode::Stored(_) => None,
        };
        let run = operators::Step {
            inputs: layer.inputs.iter().map(|place| values[*place].clone()).collect(),
            parameters: &parameters[layer.parameters.clone()],
            statistics,
            noise,
            device,
        };
        values.push(operators::output(layer.operation.operator(), &run));
    }
    let head = |place: Option<usize>| {
        place.map(|place| {
            let [boards, width, ..] = values[place].dims();
            values[place].clone().reshape([boards, width])
        })
    };
    HeadTensors {
        policy: head(list.policy),
        value: head(list.value),
        moves_left: head(list.moves_left),
        statistics: collected,
    }
}

/// Mean (row 0) and biased variance (row 1) of each channel.
///
/// # Shapes
/// `[boards, channels, ranks, files]` -> `[2, channels]`.
fn batch_statistics(input: Tensor<4>) -> Tensor<2> {
    let [boards, channels, ranks, files] = input.dims();
    // Each mean is over the same number of values, so their mean is the mean of all values.
    let mean_of = |values: Tensor<4>| {
        values.reshape([boards, channels, ranks * files]).mean_dim(2).mean_dim(0).reshape([1, channels])
    };
    let mean = mean_of(input.clone());
    let variance = mean_of((input - mean.clone().reshape([1, channels, 1, 1])).square());
    Tensor::cat(vec![mean, variance], 0)
}
