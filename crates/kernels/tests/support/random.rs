//! Networks with random weights, and boards with pieces on random squares.

use chess::encoding::Plane;
use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy, SqueezeExcite};

/// Pseudo-random numbers that are the same everywhere (SplitMix64; Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut state = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    }

    /// From -1 to 1.
    pub(crate) fn float(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn floats(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| self.float() * scale).collect()
    }

    pub(crate) fn convolution(&mut self, kernel: usize, inputs: usize, outputs: usize) -> Convolution {
        let fan_in = kernel * kernel * inputs;
        let scale = (4.5 / fan_in as f32).sqrt();
        let (weights, bias) = (self.floats(fan_in * outputs, scale), self.floats(outputs, 0.2));
        Convolution { kernel, inputs, outputs, weights, bias }
    }

    pub(crate) fn dense(&mut self, inputs: usize, outputs: usize) -> Dense {
        let scale = (4.5 / inputs as f32).sqrt();
        let (weights, bias) = (self.floats(inputs * outputs, scale), self.floats(outputs, 0.2));
        Dense { inputs, outputs, weights, bias }
    }

    pub(crate) fn head(
        &mut self,
        channels: usize,
        shape: (usize, usize, usize),
        activation: Activation,
    ) -> Head {
        let (planes, hidden, outputs) = shape;
        Head {
            convolution: self.convolution(1, channels, planes),
            hidden: self.dense(planes * 64, hidden),
            activation,
            output: self.dense(hidden, outputs),
        }
    }

    pub(crate) fn plan(&mut self, shape: &Shape) -> Plan {
        let Shape { planes, channels, blocks, squeeze, activation, .. } = *shape;
        let stem = self.convolution(shape.stem_kernel, planes, channels);
        let blocks = (0..blocks).map(|number| Block {
            first: self.convolution(3, channels, channels),
            second: self.convolution(3, channels, channels),
            squeeze_excite: (squeeze > 0 && number % 2 == 0).then(|| SqueezeExcite {
                squeeze: self.dense(channels, squeeze),
                excite: self.dense(squeeze, if shape.excite_bias { 2 * channels } else { channels }),
                activation,
            }),
            activation,
        });
        let blocks = blocks.collect();
        let policy = if shape.dense_policy {
            Policy::Dense {
                convolution: self.convolution(1, channels, 5),
                activation,
                dense: self.dense(5 * 64, 77),
            }
        } else {
            Policy::Planes {
                first: self.convolution(shape.policy_kernel, channels, channels),
                activation,
                second: self.convolution(shape.policy_kernel, channels, shape.policy_planes),
            }
        };
        Plan {
            stem,
            activation,
            blocks,
            policy,
            value: self.head(channels, shape.value, activation),
            moves_left: shape.moves_left.then(|| self.head(channels, (3, 9, 1), activation)),
        }
    }

    /// Planes of positions: a few pieces on most of them, one value everywhere on some, nothing on others.
    pub(crate) fn boards(&mut self, count: usize, planes: usize) -> Vec<Plane> {
        let plane = |random: &mut Self| match random.bits() % 16 {
            0 => Plane::constant(random.float()),
            1 => Plane::flag(true),
            2..5 => Plane::EMPTY,
            _ => Plane::squares(random.bits() & random.bits() & random.bits() & random.bits()),
        };
        (0..count * planes).map(|_| plane(self)).collect()
    }
}

/// The sizes of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) planes: usize,
    pub(crate) stem_kernel: usize,
    pub(crate) channels: usize,
    pub(crate) blocks: usize,
    /// Inner size of squeeze-excite; 0 for none.
    pub(crate) squeeze: usize,
    pub(crate) excite_bias: bool,
    pub(crate) activation: Activation,
    pub(crate) dense_policy: bool,
    pub(crate) policy_kernel: usize,
    pub(crate) policy_planes: usize,
    pub(crate) value: (usize, usize, usize),
    pub(crate) moves_left: bool,
}

/// The shape of Maia's networks: lc0's 112 planes, 6 blocks of 64 channels with squeeze-excite.
pub(crate) const MAIA: Shape = Shape {
    planes: 112,
    stem_kernel: 3,
    channels: 64,
    blocks: 6,
    squeeze: 8,
    excite_bias: true,
    activation: Activation::Relu,
    dense_policy: false,
    policy_kernel: 3,
    policy_planes: 80,
    value: (32, 128, 3),
    moves_left: false,
};
