//! The list of layers with which callers describe a network.

use std::{fmt, ops::Range};

use super::Operation;
use crate::{
    Activation, KernelError, Operations, Precision,
    layout::{CHANNEL_BLOCK, padded},
};

/// Layers in the order of computation. A place is an input or the output of a layer: the planes are place 0, the extra
/// numbers (if any) place 1, followed by the output of each layer.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Shapes of the inputs: a board of 8x8 squares and, if the network has them, extra numbers.
    pub inputs: Vec<Shape>,
    /// The channel to which each plane belongs; the channels of the extra numbers come last.
    pub channels: Vec<usize>,
    /// The layers, in the order of computation.
    pub steps: Vec<Step>,
    /// The places that are the network's outputs, all flat.
    pub outputs: Vec<usize>,
}

/// A layer of a list.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Step {
    pub operation: Operation,
    /// The places it reads.
    pub inputs: Vec<usize>,
    pub shape: Shape,
    /// The range of its parameters among those of the network.
    pub parameters: Range<usize>,
    /// The index of its statistics among those of the network; only an [`Operation::BatchNorm`] has statistics.
    pub statistics: Option<usize>,
}

/// The steps that are computed together with the one before them. The places between them are unused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chain {
    /// Number of steps after the first.
    pub(crate) followers: usize,
    /// The place that is added.
    pub(crate) skip: Option<usize>,
    pub(crate) activation: Activation,
}

impl Default for Chain {
    fn default() -> Self {
        Self { followers: 0, skip: None, activation: Activation::Identity }
    }
}

impl List {
    pub(crate) fn shape(&self, place: usize) -> Shape {
        let step = || self.steps[place - self.inputs.len()].shape;
        self.inputs.get(place).copied().unwrap_or_else(step)
    }

    /// The shape of a step's first input.
    pub(crate) fn input(&self, step: &Step) -> Shape {
        self.shape(step.inputs[0])
    }

    /// Checks that every layer fits the layers it reads, and that parameters and planes fit the layers.
    ///
    /// # Errors
    /// [`KernelError::Shape`] with the first one that does not fit.
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

    /// For each step, the steps after it that are computed in the same pass over memory: after a batch normalisation or a gate the sum
    /// with a skip connection and the activation, as far as nothing else reads the values between them.
    pub(crate) fn chains(&self) -> Vec<Chain> {
        let (readers, learns) = (self.readers(), self.learns());
        (0..self.steps.len()).map(|number| self.chain(number, &readers, &learns)).collect()
    }

    fn chain(&self, number: usize, readers: &[usize], learns: &[bool]) -> Chain {
        let head = self.inputs.len() + number;
        let mut chain = Chain::default();
        let is_head = match self.steps[number].operation {
            Operation::BatchNorm => true,
            // Without a gradient of its own, it could not pass one on to the skip connection.
            Operation::Gate => learns[head],
            _ => false,
        };
        let next = |followers: usize| {
            // Followers are the steps right behind the head, which `Chain` counts: the place of the result and the steps to skip
            // are computed from that count. One reader, because the value in between is not stored; an output of the network
            // counts as a reader.
            let place = head + followers;
            let step = self.steps.get(number + followers + 1)?;
            (is_head && readers[place] == 1 && step.inputs.contains(&place)).then_some((step, place))
        };
        if let Some((Step { operation: Operation::Sum, inputs, .. }, place)) = next(0) {
            let skip = if inputs[0] == place { inputs[1] } else { inputs[0] };
            // `x + x` and a skip connection that is computed after the head are no chain: the value has to exist when the head
            // runs.
            if skip < head {
                chain = Chain { followers: 1, skip: Some(skip), ..chain };
            }
        }
        if let Some((Step { operation: Operation::Activation(activation), .. }, _)) = next(chain.followers) {
            chain = Chain { followers: chain.followers + 1, activation: *activation, ..chain };
        }
        chain
    }

    /// True for a step whose output is its input in another shape: in memory, both are the same numbers in the same order.
    pub(crate) fn is_view(&self, step: &Step) -> bool {
        let (from, to) = (self.input(step), step.shape);
        let rearranges = matches!(step.operation, Operation::Flatten | Operation::Unflatten);
        rearranges && [from, to].iter().all(|shape| shape.channels == shape.width())
    }

    /// Number of weights that a step multiplies with each square; `None` if it is not a convolution.
    pub(crate) fn weights(&self, step: &Step) -> Option<usize> {
        let Operation::Convolution { patch, .. } = step.operation else { return None };
        Some(patch.ranks * patch.files * self.input(step).channels * step.shape.channels)
    }

    /// Multiply-adds of products per position: the forward pass, and the gradients of weights and inputs. Convolutions by Winograd's
    /// algorithm execute a quarter of the nominal count: 36 per input, output and tile of 4x4 squares instead of 144.
    pub(crate) fn operations(&self, precision: Precision) -> Operations {
        let learns = self.learns();
        let mut counted = Operations::default();
        for step in &self.steps {
            let Some(weights) = self.weights(step) else { continue };
            let input = self.input(step);
            let passes = 2 + usize::from(learns[step.inputs[0]]);
            let nominal = (passes * step.shape.squares() * weights) as u64;
            counted.nominal += nominal;
            let board = (passes * input.squares() * weights / 4) as u64;
            let is_half = precision == Precision::Bf16 && step.operation.is_half(input, step.shape);
            let is_winograds = step.operation.is_winograds(input) && !is_half;
            counted.executed += if is_winograds { board } else { nominal };
        }
        counted
    }
}

/// The shape of one position's values between two layers. Values without squares are a map of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Channels per square.
    pub channels: usize,
    /// Height in squares, from south to north.
    pub ranks: usize,
    /// Width in squares, from west to east.
    pub files: usize,
}

impl Shape {
    /// The shape of `count` values without squares: one square of `count` channels.
    pub fn flat(count: usize) -> Self {
        Self { channels: count, ranks: 1, files: 1 }
    }

    /// The shape of `channels` channels on a whole board.
    pub fn board(channels: usize) -> Self {
        Self { channels, ranks: 8, files: 8 }
    }

    /// True if it has no squares.
    pub fn is_flat(self) -> bool {
        self.squares() == 1
    }

    /// Number of squares.
    pub fn squares(self) -> usize {
        self.ranks * self.files
    }

    /// Number of values.
    #[allow(clippy::len_without_is_empty, reason = "no layer is without values")]
    pub fn len(self) -> usize {
        self.squares() * self.channels
    }

    /// Channels, ranks and files.
    pub fn sizes(self) -> [usize; 3] {
        [self.channels, self.ranks, self.files]
    }

    /// Floats per square in memory; those beyond the channels are zero.
    pub(crate) fn width(self) -> usize {
        padded(self.channels, CHANNEL_BLOCK)
    }

    /// Floats per position in memory.
    pub(crate) fn room(self) -> usize {
        self.squares() * self.width()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { channels, ranks: 1, files: 1 } => write!(formatter, "{channels} numbers"),
            Self { channels, ranks, files } => {
                write!(formatter, "{channels} channels of {ranks}x{files} squares")
            }
        }
    }
}
