//! Small networks in lc0's format with random but fixed weights, for tests in this crate and in the crates that evaluate
//! such networks.

mod attention;

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use prost::Message as _;

use crate::planes::lc0::message::{
    ConvBlock, EngineVersion, Format, Layer, Net, NetworkFormat, Residual, SqueezeExciteUnit, TrainingParams,
    Weights,
};

pub use attention::attention;

/// Number of channels of the residual body.
pub(crate) const CHANNELS: usize = 3;

/// A network in lc0's format.
///
/// Its header has 7 training steps, a policy accuracy of 52.5 %, the parameter `--visits=1`, the licence `none` and lc0 0.33.
#[derive(Clone, Debug)]
pub struct SyntheticNetwork {
    pub(crate) message: Net,
}

impl SyntheticNetwork {
    fn new(format: NetworkFormat, weights: Weights) -> Self {
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
        Self { message }
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
        input: numbers.convolution(3, 112, CHANNELS),
        residual: vec![numbers.gated_block(), numbers.block()],
        policy1: numbers.convolution(3, CHANNELS, 4),
        policy: numbers.convolution(3, 4, 80),
        value: numbers.convolution(1, CHANNELS, 2),
        ip1_val_w: numbers.layer(5 * 128),
        ip1_val_b: numbers.layer(5),
        ip2_val_w: numbers.layer(3 * 5),
        ip2_val_b: numbers.layer(3),
        moves_left: numbers.convolution(1, CHANNELS, 1),
        ip1_mov_w: numbers.layer(4 * 64),
        ip1_mov_b: numbers.layer(4),
        ip2_mov_w: float32(&[1.0; 4]),
        ip2_mov_b: float32(&[7.5]),
        ..Weights::default()
    };
    SyntheticNetwork::new(format, weights)
}

/// A network as in 2018: no head formats, dense policy, scalar value, ReLU.
pub fn classical() -> SyntheticNetwork {
    let mut numbers = Numbers(2);
    let weights = Weights {
        input: numbers.convolution(3, 112, CHANNELS),
        residual: vec![numbers.block()],
        policy: numbers.convolution(1, CHANNELS, 2),
        ip_pol_w: numbers.layer(1858 * 128),
        ip_pol_b: numbers.layer(1858),
        value: numbers.convolution(1, CHANNELS, 1),
        ip1_val_w: numbers.layer(5 * 64),
        ip1_val_b: numbers.layer(5),
        ip2_val_w: numbers.layer(5),
        ip2_val_b: numbers.layer(1),
        ..Weights::default()
    };
    let format = NetworkFormat { input: Some(1), network: Some(1), ..NetworkFormat::default() };
    SyntheticNetwork::new(format, weights)
}

/// Pseudo-random numbers that are the same in every run.
struct Numbers(u32);

impl Numbers {
    fn layer(&mut self, count: usize) -> Option<Box<Layer>> {
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            numbers.push(((self.0 >> 16) as f32 / 32_768.0 - 1.0) * 0.5);
        }
        float32(&numbers)
    }

    #[expect(clippy::unnecessary_wraps, reason = "every field of a message is an option")]
    fn convolution(&mut self, kernel: usize, inputs: usize, outputs: usize) -> Option<Box<ConvBlock>> {
        let weights = self.layer(outputs * inputs * kernel * kernel);
        let biases = self.layer(outputs);
        Some(Box::new(ConvBlock { weights, biases, ..ConvBlock::default() }))
    }

    fn block(&mut self) -> Residual {
        let conv1 = self.convolution(3, CHANNELS, CHANNELS);
        Residual { conv1, conv2: self.convolution(3, CHANNELS, CHANNELS), se: None }
    }

    /// A block with a squeeze-excite unit.
    fn gated_block(&mut self) -> Residual {
        let mut block = self.block();
        block.se = Some(Box::new(SqueezeExciteUnit {
            w1: self.layer(2 * CHANNELS),
            b1: self.layer(2),
            w2: self.layer(2 * CHANNELS * 2),
            b2: self.layer(2 * CHANNELS),
        }));
        block
    }
}

/// A layer of 32-bit floats.
#[expect(clippy::unnecessary_wraps, reason = "every field of a message is an option")]
pub(crate) fn float32(values: &[f32]) -> Option<Box<Layer>> {
    let params = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Some(Box::new(Layer { params: Some(params), encoding: Some(4), ..Layer::default() }))
}
