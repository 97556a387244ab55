//! The steps of a network with tensors.
//!
//! They implement [`Operator`], which also describes networks to other programs, and not the description given to the kernels.
//! So the tests that compare the kernels with Burn also compare the two descriptions.

use burn::tensor::{
    Tensor, activation,
    module::{avg_pool2d, conv2d, max_pool2d},
    ops::{AvgPoolOptions, ConvOptions, MaxPoolOptions},
};
use kernels::LEAK;

use crate::{
    device::BurnDevice,
    layers::{Activation, Dropout, Operator, Pooling},
};

/// A step of a network with its inputs, parameters and statistics.
pub(super) struct Step<'a> {
    pub(super) inputs: Vec<Tensor<4>>,
    pub(super) parameters: &'a [Tensor<2>],
    /// Mean and variance, `[2, channels]`, of a batch normalisation.
    pub(super) statistics: Option<Tensor<2>>,
    /// The seed of this layer's random numbers in this step; `None` outside training.
    pub(super) noise: Option<u64>,
    pub(super) device: &'a BurnDevice,
}

impl Step<'_> {
    /// The only input, or the first one.
    fn input(&self) -> Tensor<4> {
        self.inputs[0].clone()
    }

    /// A parameter with one value per channel, reshaped so that it can be added to or multiplied with a batch.
    fn channel(&self, number: usize) -> Tensor<4> {
        let parameter = self.parameters[number].clone();
        let channels = parameter.dims()[1];
        parameter.reshape([1, channels, 1, 1])
    }

    fn with_bias(&self, output: Tensor<4>, bias: bool) -> Tensor<4> {
        if bias { output + self.channel(1) } else { output }
    }
}

/// The output of a step.
///
/// # Shapes
/// Inputs and output `[boards, channels, ranks, files]`.
pub(super) fn output(operator: Operator, run: &Step<'_>) -> Tensor<4> {
    let input = run.input();
    let [boards, channels, ranks, files] = input.dims();
    match operator {
        Operator::Activation { function } => activate(function, input),
        Operator::BatchNorm { epsilon } => {
            let statistics = run.statistics.clone().expect("the list has statistics for every normalisation");
            let part = |row: usize| statistics.clone().narrow(0, row, 1).reshape([1, channels, 1, 1]);
            (input - part(0)) / part(1).add_scalar(epsilon).sqrt() * run.channel(0) + run.channel(1)
        }
        Operator::Concatenation => Tensor::cat(run.inputs.clone(), 1),
        Operator::Convolution { size, stride, margin, bias } => {
            let weight = run.parameters[0].clone();
            let kernel = [size, size, channels, weight.dims()[1]];
            let kernel = weight.reshape(kernel).permute([3, 2, 0, 1]);
            let options = ConvOptions::new([stride; 2], [margin; 2], [1, 1], 1);
            run.with_bias(conv2d(input, kernel, None, options), bias)
        }
        Operator::Dense { bias } => {
            let output = input.reshape([boards, channels]).matmul(run.parameters[0].clone());
            let units = output.dims()[1];
            run.with_bias(output.reshape([boards, units, 1, 1]), bias)
        }
        Operator::Dropout { rate } => {
            let Some(seed) = run.noise else { return input };
            let factors = Dropout { rate }.factors(seed, boards * channels * ranks * files);
            let factors = run.device.tensor(factors, [boards, ranks, files, channels]);
            input * factors.permute([0, 3, 1, 2])
        }
        Operator::Flatten => input.permute([0, 2, 3, 1]).reshape([boards, ranks * files * channels, 1, 1]),
        Operator::Gate => {
            let gates = run.inputs[1].clone();
            let scale = activation::sigmoid(gates.clone().narrow(1, 0, channels));
            input * scale + gates.narrow(1, channels, channels)
        }
        Operator::GroupNorm { groups, epsilon } => {
            let grouped = input.reshape([boards, groups, channels / groups * ranks * files]);
            let centred = grouped.clone() - grouped.mean_dim(2);
            let variance = centred.clone().square().mean_dim(2);
            let normalised = centred / variance.add_scalar(epsilon).sqrt();
            normalised.reshape([boards, channels, ranks, files]) * run.channel(0) + run.channel(1)
        }
        Operator::Pool { method, window: Some(window) } => pool(method, window, input),
        Operator::Pool { method, window: None } => {
            let rows = input.reshape([boards, channels, ranks * files]);
            let pooled = match method {
                Pooling::Max => rows.max_dim(2),
                Pooling::Average => rows.mean_dim(2),
            };
            pooled.reshape([boards, channels, 1, 1])
        }
        Operator::Sum => input + run.inputs[1].clone(),
    }
}

fn activate(function: Activation, input: Tensor<4>) -> Tensor<4> {
    match function {
        Activation::Relu => activation::relu(input),
        Activation::Mish => activation::mish(input),
        Activation::Swish => activation::silu(input),
        Activation::LeakyRelu => activation::leaky_relu(input, f64::from(LEAK)),
        Activation::Tanh => activation::tanh(input),
    }
}

fn pool(method: Pooling, [size, stride, margin]: [usize; 3], input: Tensor<4>) -> Tensor<4> {
    match method {
        Pooling::Max => {
            let options = MaxPoolOptions::new([size; 2]).with_stride([stride; 2]);
            max_pool2d(input, options.with_padding([margin; 2]))
        }
        Pooling::Average => {
            let options = AvgPoolOptions::new([size; 2]).with_stride([stride; 2]);
            avg_pool2d(input, options.with_padding([margin; 2]))
        }
    }
}
