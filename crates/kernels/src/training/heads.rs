//! The heads: from the tower to moves and to the value.

use super::{
    biased::Biased,
    block::Places,
    linear::{Context, Linear},
    normalised::{Normalisation, Normalised},
    shape::{PolicyShape, PooledShape, Reach, TrainingShape},
    tensor::{Layout, Tensor, flatten, unflatten},
    workspace::BackwardPass,
};
use crate::{Activation, layout::SQUARES};

/// A head in training: a convolution with normalisation, then layers with a bias.
pub(crate) struct Head {
    first: Normalised,
    /// The convolution's output in one row for each board, where what follows is dense.
    flat: Option<Tensor>,
    layers: Vec<Biased>,
    activation: Activation,
}

impl Head {
    /// The policy head.
    pub(crate) fn policy(shape: &TrainingShape, places: &mut Places) -> Self {
        let channels = shape.channels;
        match shape.policy {
            PolicyShape::Planes { reach, channels: narrow, planes } => {
                let first = places.normalised(Linear { reach, inputs: channels, outputs: narrow });
                let last = Linear { reach, inputs: narrow, outputs: planes };
                let layers = vec![places.biased(last, Activation::Identity, Layout::Boards)];
                Self { first, flat: None, layers, activation: shape.activation }
            }
            PolicyShape::Dense { channels: narrow, outputs } => {
                Self::dense(shape, narrow, &[(outputs, Activation::Identity)], places)
            }
        }
    }

    /// The value head or the moves-left head.
    pub(crate) fn pooled(shape: &TrainingShape, head: PooledShape, places: &mut Places) -> Self {
        let layers = [(head.hidden, shape.activation), (head.outputs, Activation::Identity)];
        Self::dense(shape, head.channels, &layers, places)
    }

    /// A 1x1 convolution to `narrow` channels and dense layers of these sizes.
    fn dense(
        shape: &TrainingShape,
        narrow: usize,
        layers: &[(usize, Activation)],
        places: &mut Places,
    ) -> Self {
        let square = |inputs, outputs| Linear { reach: Reach::Square, inputs, outputs };
        let first = places.normalised(square(shape.channels, narrow));
        let mut inputs = narrow * SQUARES;
        let flat = Some(Tensor::flat(places.boards, inputs));
        let layers = layers
            .iter()
            .map(|&(outputs, activation)| {
                places.biased(
                    square(std::mem::replace(&mut inputs, outputs), outputs),
                    activation,
                    Layout::Flat,
                )
            })
            .collect();
        Self { first, flat, layers, activation: shape.activation }
    }

    /// Mean and variance of the normalisation.
    pub(crate) fn moments(&self) -> &Vec<f32> {
        &self.first.moments
    }

    /// Takes over the parameters.
    pub(crate) fn pack(&mut self, context: Context<'_>, parameters: &[Vec<f32>]) {
        self.first.pack(context, parameters, true);
        for layer in &mut self.layers {
            layer.pack(context, parameters);
        }
    }

    /// Gives `[boards][outputs]`, or `[boards][64][planes]`.
    pub(crate) fn forward(
        &mut self,
        context: Context<'_>,
        parameters: &[Vec<f32>],
        from: Normalisation<'_>,
        trunk: &Tensor,
    ) -> Vec<f32> {
        let Self { first, flat, layers, activation } = self;
        first.normalise(context, parameters, from, trunk);
        first.finish(context, None, *activation);
        let (narrow, columns) = (&first.output, first.linear.outputs);
        if let Some(flat) = flat {
            let width = flat.width;
            context
                .each(flat, |share, flat| flatten(narrow.share(share), narrow.width, columns, flat, width));
        }
        let mut input = flat.as_ref().unwrap_or(narrow);
        for layer in layers {
            layer.forward(context, parameters, input);
            input = layer.output();
        }
        self.answer(context)
    }

    fn last(&self) -> &Biased {
        self.layers.last().expect("every head has a layer")
    }

    /// Numbers of one board's answer.
    fn answer_width(&self) -> usize {
        let last = self.last();
        if last.sums.layout == Layout::Boards { SQUARES * last.linear.outputs } else { last.linear.outputs }
    }

    fn answer(&self, context: Context<'_>) -> Vec<f32> {
        let (last, width) = (self.last(), self.answer_width());
        let mut answer = vec![0.0; context.boards() * width];
        let whole = 0..context.boards();
        match last.sums.layout {
            Layout::Boards => {
                flatten(last.sums.share(&whole), last.sums.width, last.linear.outputs, &mut answer, width);
            }
            Layout::Flat => {
                for (row, sums) in
                    answer.chunks_exact_mut(width).zip(last.sums.data.chunks_exact(last.sums.width))
                {
                    row.copy_from_slice(&sums[..width]);
                }
            }
        }
        answer
    }

    /// The gradient of the trunk from that of the answer.
    pub(crate) fn backward(
        &self,
        context: Context<'_>,
        pass: &mut BackwardPass<'_>,
        (trunk, trunk_gradient): (&Tensor, &mut Tensor),
        answer_gradient: &[f32],
    ) {
        let Self { first, flat, layers, activation } = self;
        let mut gradient = self.enter(context, pass, answer_gradient);
        for number in (0..layers.len()).rev() {
            let layer = &layers[number];
            let input = match number {
                0 => flat.as_ref().unwrap_or(&first.output),
                behind => layers[behind - 1].output(),
            };
            let mut input_gradient = pass.workspace.take(input.layout, layer.linear.inputs);
            let of_layer = layer.backward(context, input, &mut gradient, &mut input_gradient);
            pass.gradients.put(layer.parameter, of_layer);
            pass.workspace.give(std::mem::replace(&mut gradient, input_gradient));
        }
        let columns = first.linear.outputs;
        if flat.is_some() {
            let mut boards = pass.workspace.take(Layout::Boards, columns);
            let (width, flat_width) = (boards.width, gradient.width);
            context.each(&mut boards, |share, boards| {
                unflatten(gradient.share(share), flat_width, columns, boards, width);
            });
            pass.workspace.give(std::mem::replace(&mut gradient, boards));
        }
        let sums = first.gate(context, None, *activation, &mut gradient);
        let mut sums_gradient = pass.workspace.take(Layout::Boards, columns);
        let of_first = first.backward(context, trunk, (&gradient, &sums), &mut sums_gradient);
        pass.gradients.put(first.parameter, of_first);
        first.packed().backward(context, &sums_gradient, trunk_gradient);
        pass.workspace.give(gradient);
        pass.workspace.give(sums_gradient);
    }

    /// The gradient of the answer as a tensor.
    fn enter(&self, context: Context<'_>, pass: &mut BackwardPass<'_>, answer_gradient: &[f32]) -> Tensor {
        let (last, width) = (self.last(), self.answer_width());
        let columns = last.linear.outputs;
        let mut gradient = pass.workspace.take(last.sums.layout, columns);
        let (layout, padded) = (gradient.layout, gradient.width);
        context.each(&mut gradient, |share, part| {
            let from = &answer_gradient[share.start * width..share.end * width];
            match layout {
                Layout::Boards => unflatten(from, width, columns, part, padded),
                Layout::Flat => {
                    for (row, from) in part.chunks_exact_mut(padded).zip(from.chunks_exact(width)) {
                        row[..width].copy_from_slice(from);
                    }
                }
            }
        });
        gradient
    }
}
