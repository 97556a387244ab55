//! The stem and the residual blocks: one convolution after another, each with a single pass over the batch.
//!
//! Layer 0 is the stem; layers 2n + 1 and 2n + 2 are those of block n, whose input is the output of layer 2n. A layer
//! is finished (normalised, gated, activated) when the next one reads it; its statistics are computed as soon as its
//! sums are known. In the backward pass, the gradient of a layer's output is turned into the gradient before its
//! activation immediately, and into the gradient of its sums when that is needed. So every layer's values are still in
//! the cache when they are used again.

use super::{
    backend::TrainingBackend,
    convolution::GradientFlow,
    excite::{Excite, ExciteActivations, LayerSums},
    linear::Linear,
    normalise::GradientTarget,
    normalised::{Activations, Gating, Junction, Normalised},
    numbering::Numbering,
    shape::{KernelSize, TrainingShape},
    work::Work,
};
use crate::{layout::Boards, simd::element::Element};

/// The stem and the residual blocks.
pub(crate) struct Tower<G: TrainingBackend> {
    pub(crate) layers: Vec<Normalised<G>>,
    /// The squeeze-excite unit of each block that has one.
    pub(crate) excites: Vec<Option<Excite>>,
}

/// Activations and gradients of the tower for one micro-batch.
pub(crate) struct TowerActivations<E> {
    pub(crate) layers: Vec<Activations<E>>,
    pub(crate) excites: Vec<Option<ExciteActivations>>,
    /// The gradient of a block's output, turned into the gradient of its input.
    pub(crate) trunk_gradient: Boards<f32>,
    /// The gradient before the activation within a block.
    inner_gradient: Boards<E>,
}

/// True if a layer is the first of a block.
fn is_inner(number: usize) -> bool {
    !number.is_multiple_of(2)
}

/// The block whose last layer this is.
fn block(number: usize) -> Option<usize> {
    (number > 0 && !is_inner(number)).then(|| number / 2 - 1)
}

/// The operations after a layer's normalisation, with the activations of earlier layers that they read.
fn junction<'a, E>(
    below: &'a [Activations<E>],
    excites: &'a [Option<ExciteActivations>],
    number: usize,
) -> Junction<'a, E> {
    block(number).map_or(Junction::NONE, |block| Junction {
        skip: Some(&below[2 * block].output),
        excite: excites[block].as_ref(),
    })
}

/// A layer's output, and the operations through which its gradient passes.
fn gating<'a, E>(
    layers: &'a mut [Activations<E>],
    excites: &'a [Option<ExciteActivations>],
    number: usize,
) -> (&'a Boards<E>, Gating<'a, E>) {
    let (below, rest) = layers.split_at_mut(number);
    let Activations { sums, output, gradient_sums, .. } = &mut rest[0];
    (output, Gating { sums, output, gradient_sums, junction: junction(below, excites, number) })
}

impl<E> TowerActivations<E> {
    /// The last layer's output, the operations through which its gradient passes, and the buffer for that gradient.
    pub(crate) fn top(&mut self) -> (&Boards<E>, Gating<'_, E>, &mut Boards<f32>) {
        let last = self.layers.len() - 1;
        let (output, gating) = gating(&mut self.layers, &self.excites, last);
        (output, gating, &mut self.trunk_gradient)
    }
}

impl<G: TrainingBackend> Tower<G> {
    pub(crate) fn new(shape: &TrainingShape, numbering: &mut Numbering) -> Self {
        let channels = shape.channels;
        let stem = Linear { kernel_size: shape.stem, inputs: shape.planes, outputs: channels };
        let mut layers = vec![numbering.normalised(stem, shape)];
        let mut excites = Vec::new();
        for &hidden in &shape.blocks {
            let linear =
                Linear { kernel_size: KernelSize::ThreeByThree, inputs: channels, outputs: channels };
            layers.extend([numbering.normalised(linear, shape), numbering.normalised(linear, shape)]);
            excites.push(hidden.map(|hidden| {
                let unit = Excite::new(channels, hidden, numbering.parameter, shape.activation);
                numbering.parameter += 4;
                unit
            }));
        }
        Self { layers, excites }
    }

    /// Allocates the activations of `boards` boards.
    pub(crate) fn room(&self, boards: usize, channels: usize) -> TowerActivations<G::Element> {
        TowerActivations {
            layers: self.layers.iter().map(|layer| layer.room(boards)).collect(),
            excites: self.excites.iter().map(|unit| unit.as_ref().map(|unit| unit.room(boards))).collect(),
            trunk_gradient: Boards::new(boards, channels, 0.0),
            inner_gradient: Boards::new(boards, channels, G::Element::nearest(0.0)),
        }
    }

    /// Computes a layer's output from its sums.
    pub(crate) fn finish(
        &self,
        number: usize,
        work: &mut Work<G>,
        memory: &mut TowerActivations<G::Element>,
    ) {
        let (simd, boards) = (work.simd(), work.boards);
        let TowerActivations { layers, excites, .. } = memory;
        let (below, rest) = layers.split_at_mut(number);
        let layer = &self.layers[number];
        if let Some((unit, memory)) =
            block(number).and_then(|block| self.excites[block].as_ref().zip(excites[block].as_mut()))
        {
            unit.forward(simd, boards, (&rest[0].board_sums, &layer.folded), memory);
        }
        layer.finish(simd, boards, &mut rest[0], &junction(below, excites, number));
    }

    /// Finishes the layer below and computes this layer's sums and their totals.
    pub(crate) fn forward(
        &self,
        number: usize,
        work: &mut Work<G>,
        input: &Boards<G::Element>,
        memory: &mut TowerActivations<G::Element>,
    ) -> Vec<f64> {
        if let Some(below) = number.checked_sub(1) {
            self.finish(below, work, memory);
        }
        let (below, rest) = memory.layers.split_at_mut(number);
        let input = below.last().map_or(input, |below| &below.output);
        self.layers[number].convolve(work, input, &mut rest[0])
    }

    /// Computes the gradient of a layer's weights, and the gradient of the layer below before its activation.
    pub(crate) fn backward(
        &self,
        number: usize,
        work: &mut Work<G>,
        (input, memory): (&Boards<G::Element>, &mut TowerActivations<G::Element>),
        result: &mut Vec<f32>,
    ) {
        let (simd, layer) = (work.simd(), &self.layers[number]);
        let TowerActivations { layers, excites, trunk_gradient: trunk, inner_gradient: inner } = memory;
        if let Some(block) = block(number)
            && let (Some(unit), Some(memory)) = (&self.excites[block], &mut excites[block])
        {
            unit.unfold(work.boards, &layer.unfolded, memory);
        }
        let excite = block(number).and_then(|block| excites[block].as_ref());
        let (below, rest) = layers.split_at_mut(number);
        let sums = &rest[0].sums;
        if number == 0 {
            let of_sums = |board: usize, output: &mut [G::Element]| {
                layer.unnormalise::<_, f32>(simd, (board, &*trunk), (sums, None), output);
            };
            let flow = GradientFlow { of_sums, of_input: |_: usize, _: &[f32]| {} };
            return layer.packed().backward(work, input, result, flow);
        }
        let (input, mut gating) = gating(below, excites, number - 1);
        let under = &self.layers[number - 1];
        if is_inner(number) {
            let of_sums = |board: usize, output: &mut [G::Element]| {
                layer.unnormalise::<_, G::Element>(simd, (board, &*inner), (sums, None), output);
            };
            let of_input = |board: usize, gradient: &[f32]| {
                let target = GradientTarget::Trunk(trunk.board_mut(board));
                under.gate(simd, board, &mut gating, (gradient, target));
            };
            layer.packed().backward(work, input, result, GradientFlow { of_sums, of_input });
        } else {
            let of_sums = |board: usize, output: &mut [G::Element]| {
                layer.unnormalise::<_, f32>(simd, (board, &*trunk), (sums, excite), output);
            };
            let of_input = |board: usize, gradient: &[f32]| {
                let target = GradientTarget::Elements(inner.board_mut(board));
                under.gate(simd, board, &mut gating, (gradient, target));
            };
            layer.packed().backward(work, input, result, GradientFlow { of_sums, of_input });
        }
    }

    /// Totals over a micro-batch of the gated gradient of a layer's normalised values: `[2][width]`.
    pub(crate) fn gradient_totals(
        &self,
        number: usize,
        work: &mut Work<G>,
        memory: &mut TowerActivations<G::Element>,
    ) -> Vec<f64> {
        let of_layer = &mut memory.layers[number];
        if let Some(block) = block(number)
            && let (Some(unit), Some(memory)) = (&self.excites[block], &mut memory.excites[block])
        {
            let Activations { board_sums, gradient_sums, .. } = of_layer;
            let folded = &self.layers[number].folded;
            unit.backward(work.simd(), work.boards, LayerSums { folded, board_sums, gradient_sums }, memory);
        }
        of_layer.gradient_totals(work.boards)
    }
}
