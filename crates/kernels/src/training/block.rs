//! A residual block: two convolutions, perhaps a squeeze-excite unit, and the skip connection.

use super::{
    biased::Biased,
    gating::{GateGradient, GatedFinish, Gates, Pool, ValueGradient},
    linear::{Context, Linear},
    normalise::GradientSums,
    normalised::{Normalisation, Normalised},
    shape::Reach,
    tensor::{Layout, Tensor},
    workspace::BackwardPass,
};
use crate::Activation;

/// A block in training.
pub(crate) struct Block {
    first: Normalised,
    pub(crate) second: Normalised,
    excite: Option<Excite>,
    activation: Activation,
}

/// A squeeze-excite unit in training.
struct Excite {
    pooled: Tensor,
    squeeze: Biased,
    expand: Biased,
}

/// Numbers the layers of a network while they are made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    pub(crate) parameter: usize,
    pub(crate) normalisation: usize,
    pub(crate) boards: usize,
}

impl Places {
    /// The next layer, with normalisation.
    pub(crate) fn normalised(&mut self, linear: Linear) -> Normalised {
        let layer = Normalised::new(linear, self.parameter, self.normalisation, self.boards);
        self.parameter += 3;
        self.normalisation += 1;
        layer
    }

    /// The next layer, with a bias.
    pub(crate) fn biased(&mut self, linear: Linear, activation: Activation, layout: Layout) -> Biased {
        let layer = Biased::new(linear, self.parameter, activation, (layout, self.boards));
        self.parameter += 2;
        layer
    }
}

impl Block {
    pub(crate) fn new(
        channels: usize,
        hidden: Option<usize>,
        activation: Activation,
        places: &mut Places,
    ) -> Self {
        let linear = Linear { reach: Reach::Board, inputs: channels, outputs: channels };
        let first = places.normalised(linear);
        let second = places.normalised(linear);
        let excite = hidden.map(|hidden| {
            let dense = |inputs, outputs| Linear { reach: Reach::Square, inputs, outputs };
            Excite {
                pooled: Tensor::flat(places.boards, channels),
                squeeze: places.biased(dense(channels, hidden), activation, Layout::Flat),
                expand: places.biased(dense(hidden, 2 * channels), Activation::Identity, Layout::Flat),
            }
        });
        Self { first, second, excite, activation }
    }

    /// Takes over the parameters.
    pub(crate) fn pack(&mut self, context: Context<'_>, parameters: &[Vec<f32>]) {
        self.first.pack(context, parameters, true);
        self.second.pack(context, parameters, true);
        if let Some(unit) = &mut self.excite {
            unit.squeeze.pack(context, parameters);
            unit.expand.pack(context, parameters);
        }
    }

    /// Mean and variance of both normalisations.
    pub(crate) fn moments(&self) -> [&Vec<f32>; 2] {
        [&self.first.moments, &self.second.moments]
    }

    /// Fills the second layer's output.
    pub(crate) fn forward(
        &mut self,
        context: Context<'_>,
        parameters: &[Vec<f32>],
        from: Normalisation<'_>,
        input: &Tensor,
    ) {
        let Self { first, second, excite, activation } = self;
        first.normalise(context, parameters, from, input);
        first.finish(context, None, *activation);
        second.normalise(context, parameters, from, &first.output);
        match excite {
            None => second.finish(context, Some(input), *activation),
            Some(unit) => {
                unit.forward(context, parameters, second);
                unit.finish(context, second, input, *activation);
            }
        }
    }

    /// Turns the gradient of the output into that of the input.
    pub(crate) fn backward(
        &self,
        context: Context<'_>,
        pass: &mut BackwardPass<'_>,
        input: &Tensor,
        gradient: &mut Tensor,
    ) {
        let Self { first, second, excite, activation } = self;
        let channels = first.linear.outputs;
        let mut inner = pass.workspace.take(Layout::Boards, channels);
        let mut sums_gradient = pass.workspace.take(Layout::Boards, channels);
        let hidden = &first.output;
        match excite {
            None => {
                let sums = second.gate(context, Some(input), *activation, gradient);
                let of_second = second.backward(context, hidden, (gradient, &sums), &mut sums_gradient);
                pass.gradients.put(second.parameter, of_second);
            }
            Some(unit) => {
                let upstream = Upstream { second, input, activation: *activation };
                let sums = unit.backward(context, pass, upstream, (gradient, &mut inner));
                let of_second = second.backward(context, hidden, (&inner, &sums), &mut sums_gradient);
                pass.gradients.put(second.parameter, of_second);
            }
        }
        second.packed().backward(context, &sums_gradient, &mut inner);
        let sums = first.gate(context, None, *activation, &mut inner);
        let of_first = first.backward(context, input, (&inner, &sums), &mut sums_gradient);
        pass.gradients.put(first.parameter, of_first);
        first.packed().backward(context, &sums_gradient, &mut inner);
        add(context, gradient, &inner);
        pass.workspace.give(inner);
        pass.workspace.give(sums_gradient);
    }
}

/// `to += from`.
pub(crate) fn add(context: Context<'_>, to: &mut Tensor, from: &Tensor) {
    context.each(to, |share, to| {
        for (sum, term) in to.iter_mut().zip(from.share(share)) {
            *sum += term;
        }
    });
}

/// What a squeeze-excite unit stands between.
#[derive(Clone, Copy)]
struct Upstream<'a> {
    second: &'a Normalised,
    input: &'a Tensor,
    activation: Activation,
}

impl Excite {
    fn gates(&self, share: &std::ops::Range<usize>) -> Gates<'_> {
        let sums = &self.expand.sums;
        Gates { channels: self.pooled_channels(), width: sums.width, data: sums.share(share) }
    }

    fn pooled_channels(&self) -> usize {
        self.squeeze.linear.inputs
    }

    fn forward(&mut self, context: Context<'_>, parameters: &[Vec<f32>], second: &Normalised) {
        let Self { pooled, squeeze, expand } = self;
        let (sums, folded) = (&second.sums, &second.folded);
        context.each(pooled, |share, pooled| {
            context.arithmetic.pool(Pool { width: sums.width, sums: sums.share(share), folded, pooled });
        });
        squeeze.forward(context, parameters, pooled);
        expand.forward(context, parameters, squeeze.output());
    }

    fn finish(&self, context: Context<'_>, second: &mut Normalised, skip: &Tensor, activation: Activation) {
        let Normalised { sums, folded, output, .. } = second;
        context.each(output, |share, output| {
            context.arithmetic.gated_finish(GatedFinish {
                width: sums.width,
                sums: sums.share(share),
                folded,
                gates: self.gates(share),
                skip: skip.share(share),
                activation,
                output,
            });
        });
    }

    /// Turns the gradient of the block's output into that before the activation, and gives the gradient of the normalised
    /// values of the second convolution in `values` with the sums its normalisation needs.
    fn backward(
        &self,
        context: Context<'_>,
        pass: &mut BackwardPass<'_>,
        upstream: Upstream<'_>,
        (gradient, values): (&mut Tensor, &mut Tensor),
    ) -> GradientSums {
        let mut gates_gradient = pass.workspace.take(Layout::Flat, self.expand.linear.outputs);
        let mut hidden_gradient = pass.workspace.take(Layout::Flat, self.squeeze.linear.outputs);
        let mut pooled_gradient = pass.workspace.take(Layout::Flat, self.pooled_channels());
        self.open(context, upstream, gradient, &mut gates_gradient);
        let of_expand =
            self.expand.backward(context, self.squeeze.output(), &mut gates_gradient, &mut hidden_gradient);
        pass.gradients.put(self.expand.parameter, of_expand);
        let of_squeeze =
            self.squeeze.backward(context, &self.pooled, &mut hidden_gradient, &mut pooled_gradient);
        pass.gradients.put(self.squeeze.parameter, of_squeeze);
        let Normalised { sums, folded, .. } = upstream.second;
        let result = context.sum(values, 2 * sums.width, |share, output, result| {
            context.arithmetic.value_gradient(ValueGradient {
                width: sums.width,
                sums: sums.share(share),
                folded,
                gates: self.gates(share),
                gradient: gradient.share(share),
                pooled_gradient: pooled_gradient.share(share),
                output,
                result,
            });
        });
        for tensor in [gates_gradient, hidden_gradient, pooled_gradient] {
            pass.workspace.give(tensor);
        }
        result
    }

    /// Turns the gradient of the output into that before the activation, and gives the gates' gradient.
    fn open(&self, context: Context<'_>, upstream: Upstream<'_>, gradient: &mut Tensor, gates: &mut Tensor) {
        let Upstream { second, input, activation } = upstream;
        let Normalised { sums, folded, .. } = second;
        context.each_of_two((gradient, gates), |share, gradient, gates_gradient| {
            context.arithmetic.gate_gradient(GateGradient {
                width: sums.width,
                sums: sums.share(share),
                folded,
                gates: self.gates(share),
                skip: input.share(share),
                activation,
                gradient,
                gates_gradient,
            });
        });
    }
}
