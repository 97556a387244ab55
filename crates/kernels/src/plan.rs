//! The layers of a network with plain `f32` weights, before packing for an instruction set.

use crate::{Activation, KernelError, layout::SQUARES};

/// The kernel size of a convolution of a residual tower; backends have an algorithm for each of the two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelSize {
    /// A square and its neighbours.
    ThreeByThree,
    /// Each square by itself.
    OneByOne,
}

impl KernelSize {
    /// Number of rows, and of columns, in the kernel.
    pub fn side(self) -> usize {
        match self {
            Self::ThreeByThree => 3,
            Self::OneByOne => 1,
        }
    }

    /// Number of squares that a layer reads for each square it writes.
    pub fn taps(self) -> usize {
        self.side() * self.side()
    }
}

/// A 1x1 or 3x3 convolution with bias and zero padding.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// Kernel size: 1 or 3 squares along one side.
    pub kernel: usize,
    /// Number of input channels; for the stem, the number of planes.
    pub inputs: usize,
    /// Number of output channels, without padding.
    pub outputs: usize,
    /// `[kernel rows][kernel columns][inputs][outputs]`; row 0 looks one rank down, column 0 one file to the left.
    pub weights: Vec<f32>,
    /// `[outputs]`, added to the sums.
    pub bias: Vec<f32>,
}

/// A fully connected layer with its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Number of inputs for one board.
    pub inputs: usize,
    /// Number of outputs for one board.
    pub outputs: usize,
    /// `[inputs][outputs]`. After a convolution, the input's index is `channel * 64 + square`.
    pub weights: Vec<f32>,
    /// `[outputs]`, added to the sums.
    pub bias: Vec<f32>,
}

/// Squeeze-excite: mean over the board, dense, activation, dense; the sigmoid of the first half of the outputs scales
/// the channels, and the second half, if there is one, is added.
#[derive(Clone, Debug, PartialEq)]
pub struct SqueezeExcite {
    /// Layer from the channels to the inner size.
    pub squeeze: Dense,
    /// Layer from the inner size to one or two values for each channel.
    pub excite: Dense,
    /// Activation between the two layers.
    pub activation: Activation,
}

/// Two convolutions whose sum with the block's input is activated (He et al. 2016, arXiv:1512.03385).
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// First convolution, followed by the activation.
    pub first: Convolution,
    /// Second convolution, followed by squeeze-excite and the addition of the block's input.
    pub second: Convolution,
    /// Applied to the second convolution's output.
    pub squeeze_excite: Option<SqueezeExcite>,
    /// Also follows the addition of the block's input.
    pub activation: Activation,
}

/// A policy head: from the tower to one logit for each move.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "an activation follows the layer above it")]
pub enum Policy {
    /// Two convolutions; the output is `[64 squares][planes]`.
    Planes { first: Convolution, activation: Activation, second: Convolution },
    /// A convolution and a dense layer; the output is `[moves]`.
    Dense {
        convolution: Convolution,
        activation: Activation,
        /// Layer from all planes and squares to the moves.
        dense: Dense,
    },
}

/// A convolution and two dense layers: value and moves left.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The convolution, followed by the activation.
    pub convolution: Convolution,
    /// Layer from all planes and squares, followed by the activation.
    pub hidden: Dense,
    /// Applied after the convolution and after the hidden layer.
    pub activation: Activation,
    /// Layer from the hidden units to the outputs.
    pub output: Dense,
}

/// A residual network over the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The first convolution, from planes to channels.
    pub stem: Convolution,
    /// Activation after the stem.
    pub activation: Activation,
    /// Residual blocks, in order.
    pub blocks: Vec<Block>,
    /// Move logits, before softmax.
    pub policy: Policy,
    /// Win, draw and loss, or one value; before softmax or tanh.
    pub value: Head,
    /// Plies until the game ends.
    pub moves_left: Option<Head>,
}

impl Plan {
    /// Checks that all sizes fit.
    ///
    /// # Errors
    /// [`KernelError::Shape`] with the first layer that does not fit.
    pub fn check(&self) -> Result<(), KernelError> {
        let channels = self.stem.outputs;
        self.stem.check("stem", self.stem.inputs)?;
        for (number, block) in self.blocks.iter().enumerate() {
            block.check(&format!("block {number}"), channels)?;
        }
        self.policy.check(channels)?;
        self.value.check("value", channels)?;
        self.moves_left.iter().try_for_each(|head| head.check("moves left", channels))
    }

    /// Names of the activations for which a calibration has ranges, in its order.
    pub fn tensors(&self) -> Vec<String> {
        let blocks = (0..self.blocks.len())
            .flat_map(|number| [format!("block{number}.inner"), format!("block{number}.output")]);
        let heads = ["policy", "value"].into_iter().map(String::from);
        let moves_left = self.moves_left.iter().map(|_| "moves_left".to_owned());
        std::iter::once("stem".to_owned()).chain(blocks).chain(heads).chain(moves_left).collect()
    }

    /// The activation with the lowest minimum, which decides whether int8 needs levels below zero.
    pub(crate) fn lowest_activation(&self) -> Activation {
        let policy = match &self.policy {
            Policy::Planes { activation, .. } | Policy::Dense { activation, .. } => *activation,
        };
        let heads = [Some(&self.value), self.moves_left.as_ref()].into_iter().flatten();
        let blocks = self.blocks.iter().map(|block| block.activation);
        blocks.chain([policy]).chain(heads.map(|head| head.activation)).fold(
            self.activation,
            |lowest, other| if other.least() < lowest.least() { other } else { lowest },
        )
    }
}

fn expect(part: &str, what: &str, found: usize, expected: usize) -> Result<(), KernelError> {
    if found == expected {
        return Ok(());
    }
    Err(KernelError::Shape { part: format!("{part}: {what}"), found, expected })
}

impl Convolution {
    fn check(&self, part: &str, inputs: usize) -> Result<(), KernelError> {
        if self.kernel != 1 {
            expect(part, "kernel", self.kernel, 3)?;
        }
        expect(part, "outputs of none", usize::from(self.outputs == 0 || self.inputs == 0), 0)?;
        expect(part, "inputs", self.inputs, inputs)?;
        let weights = self.kernel * self.kernel * self.inputs * self.outputs;
        expect(part, "weights", self.weights.len(), weights)?;
        expect(part, "bias", self.bias.len(), self.outputs)
    }
}

impl Dense {
    fn check(&self, part: &str, inputs: usize) -> Result<(), KernelError> {
        expect(part, "outputs of none", usize::from(self.outputs == 0 || self.inputs == 0), 0)?;
        expect(part, "inputs", self.inputs, inputs)?;
        expect(part, "weights", self.weights.len(), self.inputs * self.outputs)?;
        expect(part, "bias", self.bias.len(), self.outputs)
    }
}

impl Block {
    fn check(&self, part: &str, channels: usize) -> Result<(), KernelError> {
        self.first.check(&format!("{part}, first convolution"), channels)?;
        self.second.check(&format!("{part}, second convolution"), self.first.outputs)?;
        expect(part, "second convolution's outputs", self.second.outputs, channels)?;
        let Some(unit) = &self.squeeze_excite else { return Ok(()) };
        unit.squeeze.check(&format!("{part}, squeeze"), channels)?;
        unit.excite.check(&format!("{part}, excite"), unit.squeeze.outputs)?;
        if unit.excite.outputs == channels {
            return Ok(());
        }
        expect(part, "excite outputs", unit.excite.outputs, 2 * channels)
    }
}

impl Policy {
    fn check(&self, channels: usize) -> Result<(), KernelError> {
        match self {
            Self::Planes { first, second, .. } => {
                first.check("policy, first convolution", channels)?;
                second.check("policy, second convolution", first.outputs)
            }
            Self::Dense { convolution, dense, .. } => {
                convolution.check("policy, convolution", channels)?;
                dense.check("policy, dense", convolution.outputs * SQUARES)
            }
        }
    }
}

impl Head {
    fn check(&self, part: &str, channels: usize) -> Result<(), KernelError> {
        self.convolution.check(&format!("{part}, convolution"), channels)?;
        self.hidden.check(&format!("{part}, hidden"), self.convolution.outputs * SQUARES)?;
        self.output.check(&format!("{part}, output"), self.hidden.outputs)
    }
}
