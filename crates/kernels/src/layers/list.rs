//! Descriptions of lists of layers, as callers of the kernels give them.

use std::ops::Range;

use crate::{
    Activation, KernelError, Operations,
    layout::{CHANNEL_BLOCK, padded},
};

/// Numbers of one position between two layers. Numbers without squares are a map of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Channels per square.
    pub channels: usize,
    /// Squares from south to north.
    pub ranks: usize,
    /// Squares from west to east.
    pub files: usize,
}

impl Shape {
    /// A shape of `count` numbers without squares: one square of `count` channels.
    pub fn flat(count: usize) -> Self {
        Self { channels: count, ranks: 1, files: 1 }
    }

    pub(crate) fn squares(self) -> usize {
        self.ranks * self.files
    }

    /// Numbers of a square in memory; those past the channels are zero.
    pub(crate) fn width(self) -> usize {
        padded(self.channels, CHANNEL_BLOCK)
    }

    /// Numbers of a position in memory.
    pub(crate) fn room(self) -> usize {
        self.squares() * self.width()
    }
}

/// The squares that one square of the output reads: a rectangle that moves over the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Squares from south to north.
    pub ranks: usize,
    /// Squares from west to east.
    pub files: usize,
    /// Squares from one place to the next.
    pub stride: usize,
    /// Squares of zeros added on every side.
    pub margin: usize,
}

impl Patch {
    /// A single square, as read by a 1x1 convolution.
    pub const SQUARE: Self = Self { ranks: 1, files: 1, stride: 1, margin: 0 };

    fn places(self, length: usize, size: usize) -> Option<usize> {
        Some((length + 2 * self.margin).checked_sub(size)? / self.stride.max(1) + 1)
    }

    /// The output map over an input map; `None` where the patch is larger than the map.
    fn over(self, shape: Shape) -> Option<Shape> {
        let (ranks, files) = (self.places(shape.ranks, self.ranks)?, self.places(shape.files, self.files)?);
        Some(Shape { ranks, files, ..shape })
    }
}

/// The reduction of a patch's numbers to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The largest; squares of the margin do not count.
    Max,
    /// The mean; squares of the margin count as zeros.
    Average,
}

/// The function of a layer. Weights are `[taps][inputs][outputs]`, every other parameter has one number per channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// The sum of each patch's numbers times weights, perhaps plus a bias. Parameters: weights, bias. Over [`Patch::SQUARE`] of a map
    /// of one square it is a dense layer.
    Convolution {
        /// The squares of a sum.
        patch: Patch,
        /// True if there is one.
        bias: bool,
    },
    /// `(x - mean) / sqrt(variance + 1e-5) * scale + shift` for each channel, over the batch or with stored statistics. Parameters: scale,
    /// shift.
    BatchNorm,
    /// As [`Operation::BatchNorm`], but over the squares of each position and each group of channels. Parameters:
    /// scale, shift.
    GroupNorm {
        /// Groups of equally many channels.
        groups: usize,
    },
    /// A function of each number.
    Activation(Activation),
    /// In training a product with numbers that the caller draws, in play nothing.
    Dropout {
        /// The probability that a number is zeroed.
        rate: f32,
    },
    /// One number a channel for each patch.
    Pool {
        /// Maximum or mean.
        method: Pooling,
        /// The squares of a number.
        patch: Patch,
    },
    /// All numbers of a map in a row, square by square.
    Flatten,
    /// The numbers of two flat inputs, one behind the other.
    Join,
    /// `x * sigmoid(first half) + second half` for each channel; the second input has both halves.
    Gate,
    /// The sum of two inputs.
    Sum,
}

impl Operation {
    /// True for a convolution that Winograd's algorithm does.
    pub(super) fn is_winograds(self, from: Shape) -> bool {
        let Self::Convolution { patch, .. } = self else { return false };
        let Patch { ranks, files, stride, margin } = patch;
        (ranks, files, stride) == (3, 3, 1) && margin < 2 && (from.ranks, from.files) == (8, 8)
    }

    /// Number of places that it reads.
    fn inputs(self) -> usize {
        match self {
            Self::Join | Self::Gate | Self::Sum => 2,
            _ => 1,
        }
    }

    /// The shape of its output; `None` where its inputs do not fit.
    fn shape(self, inputs: &[Shape], output: Shape) -> Option<Shape> {
        let first = inputs[0];
        match self {
            Self::Convolution { patch, .. } => {
                patch.over(first).map(|shape| Shape { channels: output.channels, ..shape })
            }
            Self::Pool { patch, .. } => patch.over(first),
            Self::GroupNorm { groups } if groups == 0 || !first.channels.is_multiple_of(groups) => None,
            Self::BatchNorm | Self::GroupNorm { .. } | Self::Activation(_) | Self::Dropout { .. } => {
                Some(first)
            }
            Self::Flatten => Some(Shape::flat(first.squares() * first.channels)),
            Self::Join => {
                let flat = inputs.iter().all(|shape| shape.squares() == 1);
                flat.then(|| Shape::flat(first.channels + inputs[1].channels))
            }
            Self::Gate => (inputs[1] == Shape::flat(2 * first.channels)).then_some(first),
            Self::Sum => (inputs[1] == first).then_some(first),
        }
    }

    /// The lengths of its parameters.
    fn parameters(self, input: Shape, output: Shape) -> Vec<usize> {
        match self {
            Self::Convolution { patch, bias } => {
                let weights = patch.ranks * patch.files * input.channels * output.channels;
                std::iter::once(weights).chain(bias.then_some(output.channels)).collect()
            }
            Self::BatchNorm | Self::GroupNorm { .. } => vec![output.channels; 2],
            _ => Vec::new(),
        }
    }
}

/// A layer of a list.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Step {
    pub operation: Operation,
    /// The places that it reads.
    pub inputs: Vec<usize>,
    /// Shape of the output.
    pub shape: Shape,
    /// Its parameters among those of the network.
    pub parameters: Range<usize>,
    /// Its statistics among those of the network; a [`Operation::BatchNorm`] has some.
    pub statistics: Option<usize>,
}

/// Layers in the order of computation. A place is an input or the output of a layer: the planes are place 0, the extra
/// numbers (if any) place 1, followed by the output of each layer.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Shapes of the inputs: a board of 8x8 squares, perhaps numbers.
    pub inputs: Vec<Shape>,
    /// The channel that each plane is part of; those of the numbers come last.
    pub channels: Vec<usize>,
    /// The layers, in the order of computation.
    pub steps: Vec<Step>,
    /// The places that are the network's outputs, all flat.
    pub outputs: Vec<usize>,
}

impl List {
    pub(crate) fn shape(&self, place: usize) -> Shape {
        let step = || self.steps[place - self.inputs.len()].shape;
        self.inputs.get(place).copied().unwrap_or_else(step)
    }

    /// The first shape that a step reads.
    pub(crate) fn input(&self, step: &Step) -> Shape {
        self.shape(step.inputs[0])
    }

    /// Checks that every layer fits those that it reads, and parameters and planes the layers.
    ///
    /// # Errors
    /// [`KernelError::Shape`] names the first that does not fit.
    pub(crate) fn check(&self) -> Result<(), KernelError> {
        let refuse =
            |part: String, found: usize, expected: usize| Err(KernelError::Shape { part, found, expected });
        let board = self.inputs.first().map_or(0, |shape| shape.squares());
        if board != 64 || self.inputs.iter().skip(1).any(|shape| shape.squares() != 1) {
            return refuse("squares of the inputs".into(), board, 64);
        }
        let channels: usize = self.inputs.iter().map(|shape| shape.channels).sum();
        if let Some(channel) = self.channels.iter().find(|channel| **channel >= channels) {
            return refuse("channel of a plane".into(), *channel, channels);
        }
        for (number, step) in self.steps.iter().enumerate() {
            let (part, place) = (format!("layer {number}"), self.inputs.len() + number);
            if step.inputs.len() != step.operation.inputs() || step.inputs.iter().any(|from| *from >= place) {
                return refuse(format!("{part}: inputs"), step.inputs.len(), step.operation.inputs());
            }
            let shapes: Vec<Shape> = step.inputs.iter().map(|place| self.shape(*place)).collect();
            let fitting = step.operation.shape(&shapes, step.shape);
            if fitting != Some(step.shape) || step.shape.channels == 0 {
                let expected = fitting.map_or(0, |shape| shape.squares() * shape.channels);
                return refuse(part, step.shape.squares() * step.shape.channels, expected);
            }
            let expected = step.operation.parameters(shapes[0], step.shape).len();
            if step.parameters.len() != expected {
                return refuse(format!("{part}: parameters"), step.parameters.len(), expected);
            }
            if (step.operation == Operation::BatchNorm) != step.statistics.is_some() {
                return refuse(format!("{part}: statistics"), step.statistics.iter().count(), 1);
            }
        }
        let last = self.inputs.len() + self.steps.len();
        match self.outputs.iter().find(|place| **place >= last || self.shape(**place).squares() != 1) {
            Some(place) => refuse("place of an output".into(), *place, last),
            None => Ok(()),
        }
    }

    pub(crate) fn parameter_lengths(&self) -> Vec<usize> {
        let mut lengths =
            vec![0; self.steps.iter().map(|step| step.parameters.end).max().unwrap_or_default()];
        for step in &self.steps {
            let of_step = step.operation.parameters(self.input(step), step.shape);
            step.parameters.clone().zip(of_step).for_each(|(place, length)| lengths[place] = length);
        }
        lengths
    }

    /// Checks parameters against the layers.
    ///
    /// # Errors
    /// As [`List::check`].
    pub(crate) fn check_parameters(&self, parameters: &[Vec<f32>]) -> Result<(), KernelError> {
        let lengths = self.parameter_lengths();
        if parameters.len() != lengths.len() {
            let (found, expected) = (parameters.len(), lengths.len());
            return Err(KernelError::Shape { part: "parameters".into(), found, expected });
        }
        for (number, (parameter, expected)) in parameters.iter().zip(lengths).enumerate() {
            let found = parameter.len();
            if found != expected {
                return Err(KernelError::Shape { part: format!("parameter {number}"), found, expected });
            }
        }
        Ok(())
    }

    /// Checks mean and variance of each batch normalisation against the layers.
    ///
    /// # Errors
    /// As [`List::check`].
    pub(crate) fn check_statistics(&self, statistics: &[Vec<f32>]) -> Result<(), KernelError> {
        for (number, step) in self.steps.iter().enumerate() {
            let Some(place) = step.statistics else { continue };
            let (found, expected) = (statistics.get(place).map_or(0, Vec::len), 2 * step.shape.channels);
            if found != expected {
                return Err(KernelError::Shape {
                    part: format!("layer {number}: statistics"),
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }

    /// Number of normalisations with statistics.
    pub(crate) fn statistics(&self) -> usize {
        self.steps.iter().filter_map(|step| step.statistics).max().map_or(0, |most| most + 1)
    }

    /// For each place, true if it depends on a parameter, so that gradients must flow through it.
    pub(crate) fn learns(&self) -> Vec<bool> {
        let mut learns = vec![false; self.inputs.len()];
        for step in &self.steps {
            learns.push(!step.parameters.is_empty() || step.inputs.iter().any(|place| learns[*place]));
        }
        learns
    }

    /// Number of layers that read each place, plus one for each time it is an output.
    pub(crate) fn readers(&self) -> Vec<usize> {
        let mut readers = vec![0; self.inputs.len() + self.steps.len()];
        for place in self.steps.iter().flat_map(|step| &step.inputs).chain(&self.outputs) {
            readers[*place] += 1;
        }
        readers
    }

    /// The activation fused into a batch normalisation: that of the next step, if it alone reads the normalisation. The place
    /// between them is then unused.
    pub(crate) fn joined(&self, number: usize) -> Option<Activation> {
        let place = self.inputs.len() + number;
        let next = self.steps.get(number + 1)?;
        let Operation::Activation(activation) = next.operation else { return None };
        let is_normalisation = self.steps[number].operation == Operation::BatchNorm;
        (is_normalisation && next.inputs == [place] && self.readers()[place] == 1).then_some(activation)
    }

    /// Multiply-adds of products per position: forward, and for the gradients of weights and inputs. Convolutions that
    /// [`Operation::is_winograds`] execute a quarter of the nominal count: 36 per input, output and tile of 4x4 squares instead of
    /// 144.
    pub(crate) fn operations(&self) -> Operations {
        let learns = self.learns();
        let mut counted = Operations::default();
        for step in &self.steps {
            let Operation::Convolution { patch, .. } = step.operation else { continue };
            let input = self.input(step);
            let products = patch.ranks * patch.files * input.channels * step.shape.channels;
            let passes = 2 + usize::from(learns[step.inputs[0]]);
            let nominal = (passes * step.shape.squares() * products) as u64;
            counted.nominal += nominal;
            let board = (passes * input.squares() * products / 4) as u64;
            counted.executed += if step.operation.is_winograds(input) { board } else { nominal };
        }
        counted
    }
}
