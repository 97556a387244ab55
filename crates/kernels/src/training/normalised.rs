//! A layer with batch normalisation, perhaps a skip connection, and an activation.

use super::{
    linear::{Context, Linear, PackedLinear},
    normalise::{Extent, Finish, Folded, Gate, GradientSums, Moments, Unfolded, Unnormalise},
    tensor::{Layout, Tensor},
};
use crate::Activation;

/// Where a normalisation takes mean and variance from.
#[derive(Clone, Copy, Debug)]
pub enum Normalisation<'a> {
    /// From the batch itself.
    Batch,
    /// From here: for every normalisation `[2][channels]`, mean and variance.
    Stored(&'a [Vec<f32>]),
}

/// Why a layer has packed weights.
pub(crate) const PACKED: &str = "layers are packed at the start of each forward pass";

/// A layer in training and what it remembers from the forward pass for the backward pass.
pub(crate) struct Normalised {
    pub(crate) linear: Linear,
    /// The place of its weights among the parameters; scale and shift follow.
    pub(crate) parameter: usize,
    /// Its place among the normalisations.
    pub(crate) number: usize,
    packed: Option<PackedLinear>,
    /// Before normalisation.
    pub(crate) sums: Tensor,
    pub(crate) output: Tensor,
    pub(crate) folded: Folded,
    /// `[2][channels]`: mean and variance of the batch, or those stored.
    pub(crate) moments: Vec<f32>,
}

/// The gradients of a layer's parameters: weights, scale, shift.
pub(crate) type NormalisedGradient = [Vec<f32>; 3];

impl Normalised {
    pub(crate) fn new(linear: Linear, parameter: usize, number: usize, boards: usize) -> Self {
        Self {
            linear,
            parameter,
            number,
            packed: None,
            sums: Tensor::boards(boards, linear.outputs),
            output: Tensor::boards(boards, linear.outputs),
            folded: Folded::default(),
            moments: Vec::new(),
        }
    }

    /// Takes over the parameters; `backward` where the gradient of the input will be asked for.
    pub(crate) fn pack(&mut self, context: Context<'_>, parameters: &[Vec<f32>], backward: bool) {
        let weights = &parameters[self.parameter];
        self.packed = Some(self.linear.pack(context.arithmetic, Layout::Boards, weights, backward));
    }

    pub(crate) fn packed(&self) -> &PackedLinear {
        self.packed.as_ref().expect(PACKED)
    }

    /// The product and its moments; fills `sums` and `folded`.
    pub(crate) fn normalise(
        &mut self,
        context: Context<'_>,
        parameters: &[Vec<f32>],
        from: Normalisation<'_>,
        input: &Tensor,
    ) {
        let packed = self.packed.as_ref().expect(PACKED);
        packed.forward(context, input, &mut self.sums);
        self.moments = match from {
            Normalisation::Stored(moments) => moments[self.number].clone(),
            Normalisation::Batch => self.measure(context),
        };
        let (mean, variance) = self.moments.split_at(self.linear.outputs);
        let [scale, shift] = [&parameters[self.parameter + 1], &parameters[self.parameter + 2]];
        self.folded = Folded::new(self.sums.width, (mean, variance), scale, shift);
    }

    fn measure(&mut self, context: Context<'_>) -> Vec<f32> {
        let (width, outputs) = (self.sums.width, self.linear.outputs);
        let rows = self.sums.count(context.boards()) as f64;
        let layout = self.sums.layout;
        let sums = context.sum(&mut self.sums, 2 * width, |share, sums, result| {
            let extent = Extent { layout, boards: share.len(), width };
            context.arithmetic.moments(Moments { extent, sums, result });
        });
        let mean = sums[..outputs].iter().map(|sum| sum / rows);
        let variance =
            mean.clone().zip(&sums[width..]).map(|(mean, sum)| (sum / rows - mean * mean).max(0.0));
        mean.clone().chain(variance).map(|value| value as f32).collect()
    }

    /// Activation and skip connection; fills `output`.
    pub(crate) fn finish(&mut self, context: Context<'_>, skip: Option<&Tensor>, activation: Activation) {
        let Self { sums, output, folded, .. } = self;
        context.each(output, |share, output| {
            context.arithmetic.finish(Finish {
                extent: Extent { layout: sums.layout, boards: share.len(), width: sums.width },
                sums: sums.share(share),
                folded,
                skip: skip.map(|skip| skip.share(share)),
                activation,
                output,
            });
        });
    }

    /// Turns the gradient of the output into that before the activation.
    pub(crate) fn gate(
        &self,
        context: Context<'_>,
        skip: Option<&Tensor>,
        activation: Activation,
        gradient: &mut Tensor,
    ) -> GradientSums {
        let Self { sums, folded, .. } = self;
        context.sum(gradient, 2 * sums.width, |share, gradient, result| {
            context.arithmetic.gate(Gate {
                extent: Extent { layout: sums.layout, boards: share.len(), width: sums.width },
                sums: sums.share(share),
                folded,
                skip: skip.map(|skip| skip.share(share)),
                activation,
                gradient,
                result,
            });
        })
    }

    /// The gradients of the parameters, and of the sums into `output`, from that before the activation.
    pub(crate) fn backward(
        &self,
        context: Context<'_>,
        input: &Tensor,
        (gradient, gradient_sums): (&Tensor, &GradientSums),
        output: &mut Tensor,
    ) -> NormalisedGradient {
        let Self { sums, folded, .. } = self;
        let unfolded = Unfolded::new(folded, gradient_sums, sums.count(context.boards()));
        context.each(output, |share, output| {
            context.arithmetic.unnormalise(Unnormalise {
                extent: Extent { layout: sums.layout, boards: share.len(), width: sums.width },
                sums: sums.share(share),
                unfolded: &unfolded,
                gradient: gradient.share(share),
                output,
            });
        });
        let outputs = self.linear.outputs;
        let row =
            |row: usize| gradient_sums[row * sums.width..][..outputs].iter().map(|sum| *sum as f32).collect();
        [self.packed().weight_gradient(context, input, output), row(1), row(0)]
    }
}
