//! The heads: from the tower to the logits of moves and to the value.

use super::{
    PACKED,
    backend::TrainingBackend,
    convolution::{Directions, GradientFlow, PackedConvolution},
    dense::{Dense, DenseActivations},
    linear::Linear,
    normalise::{Collect, GradientTarget},
    normalised::{Activations, Gating, Junction, Normalised},
    numbering::Numbering,
    shape::{KernelSize, PolicyShape, PooledShape, TrainingShape},
    tower::TowerActivations,
    work::Work,
};
use crate::{
    Activation,
    layout::{Boards, CHANNEL_BLOCK, Flat, POSITIONS, SQUARES, padded, position},
    simd::Simd,
    simd::element::Element,
};

/// A head in training: a convolution with normalisation, and the layers after it.
pub(crate) struct Head<G: TrainingBackend> {
    pub(crate) first: Normalised<G>,
    pub(crate) tail: Tail<G>,
}

/// The layers after a head's first convolution.
pub(crate) enum Tail<G: TrainingBackend> {
    /// A second convolution, with a bias: the output is `[64 squares][planes]`.
    Planes(Planes<G>),
    Dense(Vec<Dense>),
}

/// A convolution with a bias.
pub(crate) struct Planes<G: TrainingBackend> {
    pub(crate) linear: Linear,
    /// The index of its weights among the parameters; the bias follows.
    pub(crate) parameter: usize,
    packed: Option<PackedConvolution<G>>,
    bias: Vec<f32>,
}

/// Activations and gradients of a head for one micro-batch.
pub(crate) struct HeadActivations<E> {
    pub(crate) first: Activations<E>,
    /// The gradient before the activation of the first layer.
    gradient: Boards<E>,
    /// The output of the first layer, one row per board, if dense layers follow; and its gradient.
    pub(crate) flat: Flat<f32>,
    flat_gradient: Flat<f32>,
    pub(crate) layers: Vec<DenseActivations>,
    /// The gradient of the bias of a second convolution.
    pub(crate) bias: Vec<f64>,
}

/// The gradient of the trunk, in which the gradients of the two heads are summed.
pub(crate) struct TrunkGradient<'a, G: TrainingBackend> {
    pub(crate) tower: &'a mut TowerActivations<G::Element>,
    pub(crate) order: Order<'a, G>,
}

/// Position of a head among the two that are trained: the first writes the trunk's gradient; the last adds its own to
/// it and passes the sum through the activation of the trunk's last layer.
pub(crate) enum Order<'a, G: TrainingBackend> {
    First,
    Last(&'a Normalised<G>),
}

impl<G: TrainingBackend> Head<G> {
    pub(crate) fn policy(shape: &TrainingShape, numbering: &mut Numbering) -> Self {
        match shape.policy {
            PolicyShape::Planes { kernel_size, channels, planes } => {
                let first = Linear { kernel_size, inputs: shape.channels, outputs: channels };
                let first = numbering.normalised(first, shape);
                let linear = Linear { kernel_size, inputs: channels, outputs: planes };
                let parameter = numbering.parameter;
                numbering.parameter += 2;
                Self {
                    first,
                    tail: Tail::Planes(Planes { linear, parameter, packed: None, bias: Vec::new() }),
                }
            }
            PolicyShape::Dense { channels, outputs } => {
                Self::dense(shape, channels, &[(outputs, Activation::Identity)], numbering)
            }
        }
    }

    /// The value head or the moves-left head.
    pub(crate) fn pooled(shape: &TrainingShape, head: PooledShape, numbering: &mut Numbering) -> Self {
        let layers = [(head.hidden, shape.activation), (head.outputs, Activation::Identity)];
        Self::dense(shape, head.channels, &layers, numbering)
    }

    /// A 1x1 convolution to `channels` and dense layers of these sizes.
    fn dense(
        shape: &TrainingShape,
        channels: usize,
        layers: &[(usize, Activation)],
        numbering: &mut Numbering,
    ) -> Self {
        let first = Linear { kernel_size: KernelSize::OneByOne, inputs: shape.channels, outputs: channels };
        let first = numbering.normalised(first, shape);
        let mut inputs = channels * SQUARES;
        let layers = layers.iter().map(|&(outputs, activation)| {
            let layer = Dense::new(inputs, outputs, numbering.parameter, activation);
            numbering.parameter += 2;
            inputs = outputs;
            layer
        });
        Self { first, tail: Tail::Dense(layers.collect()) }
    }

    /// Allocates the activations of `boards` boards.
    pub(crate) fn room(&self, boards: usize) -> HeadActivations<G::Element> {
        let first = self.first.room(boards);
        let flat = match &self.tail {
            Tail::Planes(_) => 0,
            Tail::Dense(_) => padded(self.first.linear.outputs * SQUARES, CHANNEL_BLOCK),
        };
        HeadActivations {
            gradient: Boards::new(boards, first.sums.width, G::Element::nearest(0.0)),
            flat: Flat::new(boards, flat, 0.0),
            flat_gradient: Flat::new(boards, flat, 0.0),
            layers: match &self.tail {
                Tail::Planes(_) => Vec::new(),
                Tail::Dense(layers) => layers.iter().map(|layer| layer.room(boards)).collect(),
            },
            bias: Vec::new(),
            first,
        }
    }

    /// Packs the weights of all layers of the head.
    pub(crate) fn pack(&mut self, backend: &G, parameters: &[Vec<f32>]) {
        self.first.pack(backend, parameters, Directions::Both);
        match &mut self.tail {
            Tail::Planes(Planes { linear, parameter, packed, bias }) => {
                *packed =
                    Some(PackedConvolution::new(backend, *linear, &parameters[*parameter], Directions::Both));
                bias.clone_from(&parameters[*parameter + 1]);
            }
            Tail::Dense(layers) => {
                for layer in layers {
                    layer.pack(backend.simd(), parameters);
                }
            }
        }
    }

    /// Computes the outputs of a micro-batch, `[boards][outputs]` or `[boards][64][planes]`, from the sums of the
    /// first layer.
    pub(crate) fn forward(
        &self,
        work: &mut Work<G>,
        memory: &mut HeadActivations<G::Element>,
        answer: &mut [f32],
    ) {
        let (simd, boards) = (work.simd(), work.boards);
        self.first.finish(simd, boards, &mut memory.first, &Junction::NONE);
        let (output, stride) = (&memory.first.output, answer.len() / boards);
        match &self.tail {
            Tail::Planes(Planes { packed, bias, .. }) => {
                let packed = packed.as_ref().expect(PACKED);
                packed.forward(work, output, |board, sums| {
                    let width = sums.len() / POSITIONS;
                    let rows = answer[board * stride..][..stride].chunks_exact_mut(bias.len());
                    for (square, row) in rows.enumerate() {
                        let sums = &sums[position(square) * width..];
                        for ((value, sum), bias) in row.iter_mut().zip(sums).zip(bias) {
                            *value = sum + bias;
                        }
                    }
                });
            }
            Tail::Dense(layers) => {
                let columns = self.first.linear.outputs;
                for board in 0..boards {
                    flatten(output.board(board), output.width, columns, memory.flat.board_mut(board));
                }
                let mut input = &memory.flat;
                for (layer, memory) in layers.iter().zip(&mut memory.layers) {
                    layer.forward(simd, boards, input, memory);
                    input = &memory.output;
                }
                for (board, row) in answer.chunks_exact_mut(stride).enumerate() {
                    row.copy_from_slice(&input.board(board)[..stride]);
                }
            }
        }
    }

    /// Turns the gradients of the outputs of a micro-batch into the gradient before the activation of the first layer;
    /// returns the totals of that gradient. The gradient of a second convolution's weights is left in `result`.
    pub(crate) fn backward(
        &self,
        work: &mut Work<G>,
        memory: &mut HeadActivations<G::Element>,
        answer_gradient: &[f32],
        result: &mut Vec<f32>,
    ) -> Vec<f64> {
        let (simd, boards) = (work.simd(), work.boards);
        let stride = answer_gradient.len() / boards;
        let HeadActivations { first, gradient, flat_gradient, layers: remembered, bias, .. } = memory;
        let Activations { sums, output, gradient_sums, .. } = first;
        let mut gating = Gating { sums, output, gradient_sums, junction: Junction::NONE };
        let gate = |board: usize, of_output: &[f32]| {
            let target = GradientTarget::Elements(gradient.board_mut(board));
            self.first.gate(simd, board, &mut gating, (of_output, target));
        };
        match &self.tail {
            Tail::Planes(Planes { packed, linear, .. }) => {
                let (planes, width) = (linear.outputs, padded(linear.outputs, CHANNEL_BLOCK));
                let (mut squares, mut sums) = (vec![0.0; POSITIONS * width], vec![0.0; 2 * width]);
                bias.clear();
                bias.resize(planes, 0.0);
                let fill = |board: usize, output: &mut [G::Element]| {
                    unflatten(&answer_gradient[board * stride..][..stride], planes, &mut squares, width);
                    simd.run(Collect { width, sums: &squares, output, result: &mut sums });
                    for (total, sum) in bias.iter_mut().zip(&sums) {
                        *total += f64::from(*sum);
                    }
                };
                let flow = GradientFlow { of_sums: fill, of_input: gate };
                packed.as_ref().expect(PACKED).backward(work, output, result, flow);
            }
            Tail::Dense(layers) => {
                dense_backward(simd, layers, (remembered, boards), answer_gradient, flat_gradient);
                let (columns, width) = (self.first.linear.outputs, output.width);
                let mut squares = vec![0.0; POSITIONS * width];
                let mut gate = gate;
                for board in 0..boards {
                    unflatten(flat_gradient.board(board), columns, &mut squares, width);
                    gate(board, &squares);
                }
            }
        }
        memory.first.gradient_totals(boards)
    }

    /// Propagates the gradient before the activation of the first layer to the trunk. The gradient of the weights is
    /// left in `result`.
    pub(crate) fn leave(
        &self,
        work: &mut Work<G>,
        memory: &HeadActivations<G::Element>,
        TrunkGradient { tower, order }: TrunkGradient<'_, G>,
        result: &mut Vec<f32>,
    ) {
        let simd = work.simd();
        let (input, mut gating, trunk) = tower.top();
        let of_sums = |board: usize, output: &mut [G::Element]| {
            let sums = (&memory.first.sums, None);
            self.first.unnormalise::<_, G::Element>(simd, (board, &memory.gradient), sums, output);
        };
        let of_input = |board: usize, gradient: &[f32]| match &order {
            Order::First => trunk.board_mut(board)[..gradient.len()].copy_from_slice(gradient),
            Order::Last(under) => {
                let target = GradientTarget::Trunk(trunk.board_mut(board));
                under.gate(simd, board, &mut gating, (gradient, target));
            }
        };
        let flow = GradientFlow { of_sums, of_input };
        self.first.packed().backward(work, input, result, flow);
    }
}

/// Propagates the gradients of the outputs through the dense layers to the first layer's input.
fn dense_backward<S: crate::simd::Lanes<f32>>(
    simd: S,
    layers: &[Dense],
    (remembered, boards): (&mut [DenseActivations], usize),
    answer_gradient: &[f32],
    flat_gradient: &mut Flat<f32>,
) {
    let stride = answer_gradient.len() / boards;
    let last = remembered.last_mut().expect("every head has a layer");
    for (board, row) in answer_gradient.chunks_exact(stride).enumerate() {
        last.gradient.board_mut(board)[..stride].copy_from_slice(row);
    }
    for (number, layer) in layers.iter().enumerate().rev() {
        let (below, rest) = remembered.split_at_mut(number);
        let input_gradient = below.last_mut().map_or(&mut *flat_gradient, |below| &mut below.gradient);
        layer.backward(simd, boards, &mut rest[0], input_gradient);
    }
}

/// Copies the squares of a board into one row, at `square * columns + column`.
fn flatten<E: Element>(board: &[E], width: usize, columns: usize, row: &mut [f32]) {
    for (square, numbers) in row.chunks_exact_mut(columns).take(SQUARES).enumerate() {
        for (number, element) in numbers.iter_mut().zip(&board[position(square) * width..]) {
            *number = element.to_f32();
        }
    }
}

/// The reverse of [`flatten`], for floats.
fn unflatten(row: &[f32], columns: usize, board: &mut [f32], width: usize) {
    for (square, numbers) in row.chunks_exact(columns).take(SQUARES).enumerate() {
        board[position(square) * width..][..columns].copy_from_slice(numbers);
    }
}
