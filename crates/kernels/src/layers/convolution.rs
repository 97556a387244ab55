//! Convolutions and dense layers: which way they are computed, and their weights packed for it.

mod board;
mod matrix;
mod straight;
mod strips;
mod transforms;

use super::{
    list::{Operation, Patch, Shape, Step},
    patches::Patches,
    rows::BiasActivation,
};
use crate::{Activation, simd::GradientLanes};

use board::Board;
use straight::{Source, Straight};

pub(super) use straight::Demand;
pub(super) use transforms::{Buffers, Resources};

/// Operands of a layer's backward pass: its input, and the gradient of its output.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) input: &'a [f32],
    pub(super) gradient: &'a [f32],
}

/// A convolution or dense layer.
pub(super) struct Convolution {
    to: Shape,
    /// The place of its weights among the parameters; the bias follows.
    parameter: usize,
    bias: bool,
    way: Way,
    /// The bias, padded to whole vectors.
    packed_bias: Vec<f32>,
}

/// The algorithm of a convolution.
enum Way {
    /// Winograd's algorithm.
    Board(Board),
    /// Products of matrices.
    Straight(Box<Straight>),
}

impl Convolution {
    /// The layer of a step; `None` if the step is not a convolution.
    pub(super) fn new(step: &Step, from: Shape, demand: Demand) -> Option<Self> {
        let Operation::Convolution { patch, bias } = step.operation else { return None };
        let to = step.shape;
        let way = if step.operation.is_winograds(from) {
            Way::Board(Board::new(from, to, demand == Demand::All))
        } else if patch == Patch::SQUARE {
            Way::Straight(Box::new(Straight::new(Source::Squares, (from, to), demand)))
        } else {
            let patches = Patches::new(patch, from, to);
            Way::Straight(Box::new(Straight::new(Source::Patches(patches), (from, to), demand)))
        };
        Some(Self { to, parameter: step.parameters.start, bias, way, packed_bias: vec![0.0; to.width()] })
    }

    /// Packs the layer's weights and bias.
    pub(super) fn pack<S: GradientLanes<f32>>(&mut self, simd: S, parameters: &[Vec<f32>]) {
        let weights = &parameters[self.parameter];
        match &mut self.way {
            Way::Board(board) => board.pack(simd, weights),
            Way::Straight(straight) => straight.pack(simd, weights),
        }
        if self.bias {
            let bias = &parameters[self.parameter + 1];
            self.packed_bias[..bias.len()].copy_from_slice(bias);
        }
    }

    /// Fills the output of all boards.
    pub(super) fn forward<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        parameters: &[Vec<f32>],
        input: &[f32],
        (activation, output): (Activation, &mut [f32]),
    ) {
        let workers = resources.workers;
        let epilogue = |rows: &mut [f32]| {
            if self.bias || activation != Activation::Identity {
                workers.simd.run(BiasActivation { bias: &self.packed_bias, activation, rows });
            }
        };
        match &self.way {
            Way::Board(board) => board.forward(resources, input, output, epilogue),
            Way::Straight(straight) if straight.streams => {
                straight.stream(workers, &parameters[self.parameter], input, output);
                workers.change((output, self.to.width()), |_, rows| epilogue(rows));
            }
            Way::Straight(straight) => straight.forward(workers, input, output, epilogue),
        }
    }

    /// The gradients of weights (stored in `spare`, the buffers of an earlier step) and bias, and of the input if it is
    /// required.
    pub(super) fn backward<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        (parameters, spare): (&[Vec<f32>], &mut [Vec<f32>]),
        known: Known<'_>,
        input_gradient: Option<&mut [f32]>,
    ) -> Vec<Vec<f32>> {
        let (workers, gradient) = (resources.workers, known.gradient);
        let spare = spare.get_mut(self.parameter).map(std::mem::take).unwrap_or_default();
        let weights = match &self.way {
            Way::Board(board) => board.backward(resources, known, input_gradient, spare),
            Way::Straight(straight) => {
                match input_gradient {
                    Some(to) if straight.streams => {
                        straight.stream_back(workers, &parameters[self.parameter], gradient, to);
                    }
                    Some(to) => straight.backward(workers, gradient, to),
                    None => {}
                }
                straight.weight_gradient(workers, known, spare)
            }
        };
        let mut gradients = vec![weights];
        if self.bias {
            let sums = workers.column_sums(gradient, self.to.width());
            gradients.push(sums[..self.to.channels].iter().map(|sum| *sum as f32).collect());
        }
        gradients
    }
}
