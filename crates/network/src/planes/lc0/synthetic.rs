//! Small networks in lc0's format with random but fixed weights, for tests in this crate and in the crates that evaluate
//! such networks.

mod attention;

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy, SqueezeExcite};
use prost::Message as _;

use crate::planes::lc0::message::{
    ConvBlock, EngineVersion, Format, Layer, Net, NetworkFormat, Residual, SqueezeExciteUnit, TrainingParams,
    Weights,
};

pub use attention::attention;
#[cfg(test)]
pub(crate) use attention::attention_message;

/// Number of channels of the residual body.
pub(crate) const CHANNELS: usize = 3;

/// A network written in lc0's format, with the layers that must be read from it.
///
/// Its header has 7 training steps, a policy accuracy of 52.5 %, the parameter `--visits=1`, the licence `none` and lc0 0.33.
#[derive(Clone, Debug)]
pub struct SyntheticNetwork {
    pub(crate) message: Net,
    /// The layers as a reader must find them.
    pub plan: Plan,
}

impl SyntheticNetwork {
    fn new(format: NetworkFormat, weights: Weights, plan: Plan) -> Self {
        let message = Net {
            magic: Some(0x1c0),
            license: Some("none".into()),
            min_version: Some(EngineVersion { major: None, minor: Some(33), patch: None }),
            format: Some(Format { weights_encoding: Some(1), network_format: Some(format) }),
            training_params: Some(TrainingParams {
                training_steps: Some(7),
                accuracy: Some(52.5),
                lc0_params: Some("--visits=1".into()),
                ..TrainingParams::default()
            }),
            weights: Some(Box::new(weights)),
            onnx_model: None,
        };
        Self { message, plan }
    }

    /// The content of a `.pb` file.
    pub fn bytes(&self) -> Vec<u8> {
        self.message.encode_to_vec()
    }

    /// The content of a `.pb.gz` file.
    ///
    /// # Panics
    /// Never: writing to memory cannot fail.
    pub fn gzipped(&self) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&self.bytes()).and_then(|()| encoder.finish()).expect("memory takes every byte")
    }
}

/// A modern network: squeeze-excite in one of two blocks, convolutional policy, win/draw/loss, moves left, Mish.
pub fn modern() -> SyntheticNetwork {
    let mut numbers = Numbers(1);
    let activation = Activation::Mish;
    let (input, stem) = convolution(&mut numbers, 3, 112, CHANNELS);
    let blocks = [gated_block(&mut numbers, activation), block(&mut numbers, activation)];
    let (residual, blocks) = blocks.into_iter().unzip();
    let (policy1, first) = convolution(&mut numbers, 3, CHANNELS, 4);
    let (policy, second) = convolution(&mut numbers, 3, 4, 80);
    let (value, value_convolution) = convolution(&mut numbers, 1, CHANNELS, 2);
    let ((ip1_val_w, ip1_val_b), value_hidden) = dense(&mut numbers, 128, 5);
    let ((ip2_val_w, ip2_val_b), value_output) = dense(&mut numbers, 5, 3);
    let (moves_left, moves_convolution) = convolution(&mut numbers, 1, CHANNELS, 1);
    let ((ip1_mov_w, ip1_mov_b), moves_hidden) = dense(&mut numbers, 64, 4);
    let (ip2_mov_w, ip2_mov_b) = (float32(&[1.0; 4]), float32(&[7.5]));
    let moves_output = Dense { inputs: 4, outputs: 1, weights: vec![1.0; 4], bias: vec![7.5] };
    let plan = Plan {
        stem,
        activation,
        blocks,
        policy: Policy::Planes { first, activation, second },
        value: Head {
            convolution: value_convolution,
            hidden: value_hidden,
            activation,
            output: value_output,
        },
        moves_left: Some(Head {
            convolution: moves_convolution,
            hidden: moves_hidden,
            activation,
            output: moves_output,
        }),
    };
    let format = NetworkFormat {
        input: Some(1),
        network: Some(4),
        policy: Some(2),
        value: Some(2),
        moves_left: Some(1),
        default_activation: Some(1),
        ..NetworkFormat::default()
    };
    let weights = Weights {
        input,
        residual,
        policy1,
        policy,
        value,
        ip1_val_w,
        ip1_val_b,
        ip2_val_w,
        ip2_val_b,
        moves_left,
        ip1_mov_w,
        ip1_mov_b,
        ip2_mov_w,
        ip2_mov_b,
        ..Weights::default()
    };
    SyntheticNetwork::new(format, weights, plan)
}

/// A network as in 2018: no head formats, dense policy, scalar value, ReLU.
pub fn classical() -> SyntheticNetwork {
    let mut numbers = Numbers(2);
    let activation = Activation::Relu;
    let (input, stem) = convolution(&mut numbers, 3, 112, CHANNELS);
    let (residual, only) = block(&mut numbers, activation);
    let (policy, policy_convolution) = convolution(&mut numbers, 1, CHANNELS, 2);
    let ((ip_pol_w, ip_pol_b), policy_dense) = dense(&mut numbers, 128, 1858);
    let (value, value_convolution) = convolution(&mut numbers, 1, CHANNELS, 1);
    let ((ip1_val_w, ip1_val_b), hidden) = dense(&mut numbers, 64, 5);
    let ((ip2_val_w, ip2_val_b), output) = dense(&mut numbers, 5, 1);
    let plan = Plan {
        stem,
        activation,
        blocks: vec![only],
        policy: Policy::Dense { convolution: policy_convolution, activation, dense: policy_dense },
        value: Head { convolution: value_convolution, hidden, activation, output },
        moves_left: None,
    };
    let weights = Weights {
        input,
        residual: vec![residual],
        policy,
        ip_pol_w,
        ip_pol_b,
        value,
        ip1_val_w,
        ip1_val_b,
        ip2_val_w,
        ip2_val_b,
        ..Weights::default()
    };
    let format = NetworkFormat { input: Some(1), network: Some(1), ..NetworkFormat::default() };
    SyntheticNetwork::new(format, weights, plan)
}

/// Pseudo-random numbers that are the same in every run.
struct Numbers(u32);

impl Numbers {
    fn take(&mut self, count: usize) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            numbers.push(((self.0 >> 16) as f32 / 32_768.0 - 1.0) * 0.5);
        }
        numbers
    }

    fn layer(&mut self, count: usize) -> (Option<Box<Layer>>, Vec<f32>) {
        let values = self.take(count);
        (float32(&values), values)
    }
}

/// A layer of 32-bit floats.
#[expect(clippy::unnecessary_wraps, reason = "every field of a message is an option")]
pub(crate) fn float32(values: &[f32]) -> Option<Box<Layer>> {
    let params = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Some(Box::new(Layer { params: Some(params), encoding: Some(4), ..Layer::default() }))
}

fn convolution(
    numbers: &mut Numbers,
    kernel: usize,
    inputs: usize,
    outputs: usize,
) -> (Option<Box<ConvBlock>>, Convolution) {
    let (weights, plain) = numbers.layer(outputs * inputs * kernel * kernel);
    let (biases, bias) = numbers.layer(outputs);
    let block = ConvBlock { weights, biases, ..ConvBlock::default() };
    let taps = kernel * kernel;
    let mut weights = vec![0.0; plain.len()];
    for (place, weight) in plain.into_iter().enumerate() {
        let (output, input, tap) = (place / taps / inputs, place / taps % inputs, place % taps);
        weights[(tap * inputs + input) * outputs + output] = weight;
    }
    (Some(Box::new(block)), Convolution { kernel, inputs, outputs, weights, bias })
}

type LayerPair = (Option<Box<Layer>>, Option<Box<Layer>>);

fn dense(numbers: &mut Numbers, inputs: usize, outputs: usize) -> (LayerPair, Dense) {
    let (weights, plain) = numbers.layer(outputs * inputs);
    let (biases, bias) = numbers.layer(outputs);
    let mut matrix = vec![0.0; plain.len()];
    for (place, weight) in plain.into_iter().enumerate() {
        matrix[place % inputs * outputs + place / inputs] = weight;
    }
    ((weights, biases), Dense { inputs, outputs, weights: matrix, bias })
}

fn block(numbers: &mut Numbers, activation: Activation) -> (Residual, Block) {
    let (conv1, first) = convolution(numbers, 3, CHANNELS, CHANNELS);
    let (conv2, second) = convolution(numbers, 3, CHANNELS, CHANNELS);
    (Residual { conv1, conv2, se: None }, Block { first, second, squeeze_excite: None, activation })
}

/// A block with a squeeze-excite unit.
fn gated_block(numbers: &mut Numbers, activation: Activation) -> (Residual, Block) {
    let (mut message, mut block) = block(numbers, activation);
    let ((w1, b1), squeeze) = dense(numbers, CHANNELS, 2);
    let ((w2, b2), excite) = dense(numbers, 2, 2 * CHANNELS);
    message.se = Some(Box::new(SqueezeExciteUnit { w1, b1, w2, b2 }));
    block.squeeze_excite = Some(SqueezeExcite { squeeze, excite, activation });
    (message, block)
}
