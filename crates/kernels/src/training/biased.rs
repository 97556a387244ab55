//! A layer with a bias and perhaps an activation.

use super::{
    gating::{AddBias, BiasGradient},
    linear::{Context, Linear, PackedLinear},
    normalise::Extent,
    normalised::PACKED,
    tensor::{Layout, Tensor},
};
use crate::Activation;

/// A layer in training and what it remembers from the forward pass for the backward pass.
pub(crate) struct Biased {
    pub(crate) linear: Linear,
    /// The place of its weights among the parameters; the bias follows.
    pub(crate) parameter: usize,
    activation: Activation,
    packed: Option<PackedLinear>,
    /// Before the activation, bias included.
    pub(crate) sums: Tensor,
    /// After it, where there is one.
    activated: Option<Tensor>,
}

/// The gradients of a layer's parameters: weights, bias.
pub(crate) type BiasedGradient = [Vec<f32>; 2];

impl Biased {
    pub(crate) fn new(
        linear: Linear,
        parameter: usize,
        activation: Activation,
        (layout, boards): (Layout, usize),
    ) -> Self {
        let room = || match layout {
            Layout::Boards => Tensor::boards(boards, linear.outputs),
            Layout::Flat => Tensor::flat(boards, linear.outputs),
        };
        let activated = (activation != Activation::Identity).then(room);
        Self { linear, parameter, activation, packed: None, sums: room(), activated }
    }

    /// What the layer gives.
    pub(crate) fn output(&self) -> &Tensor {
        self.activated.as_ref().unwrap_or(&self.sums)
    }

    /// Takes over the parameters.
    pub(crate) fn pack(&mut self, context: Context<'_>, parameters: &[Vec<f32>]) {
        let weights = &parameters[self.parameter];
        self.packed = Some(self.linear.pack(context.arithmetic, self.sums.layout, weights, true));
    }

    fn packed(&self) -> &PackedLinear {
        self.packed.as_ref().expect(PACKED)
    }

    /// Fills the output.
    pub(crate) fn forward(&mut self, context: Context<'_>, parameters: &[Vec<f32>], input: &Tensor) {
        self.packed.as_ref().expect(PACKED).forward(context, input, &mut self.sums);
        let mut bias = vec![0.0; self.sums.width];
        bias[..self.linear.outputs].copy_from_slice(&parameters[self.parameter + 1]);
        let (layout, width, activation) = (self.sums.layout, self.sums.width, self.activation);
        let mut activated = self.activated.as_mut().map(|tensor| tensor.split(context.shares));
        // One thread: the layers with a bias are a hundredth of the work.
        for (number, (share, sums)) in context.shares.iter().zip(self.sums.split(context.shares)).enumerate()
        {
            let extent = Extent { layout, boards: share.len(), width };
            let activated = activated.as_mut().map(|parts| (activation, &mut *parts[number]));
            context.arithmetic.add_bias(AddBias { extent, bias: &bias, sums, activated });
        }
    }

    /// The gradients of the parameters, and of the input into `input_gradient`. `gradient` becomes that before the
    /// activation.
    pub(crate) fn backward(
        &self,
        context: Context<'_>,
        input: &Tensor,
        gradient: &mut Tensor,
        input_gradient: &mut Tensor,
    ) -> BiasedGradient {
        let Self { sums, activation, .. } = self;
        let bias = context.sum(gradient, sums.width, |share, gradient, result| {
            context.arithmetic.bias_gradient(BiasGradient {
                extent: Extent { layout: sums.layout, boards: share.len(), width: sums.width },
                inputs: sums.share(share),
                activation: *activation,
                gradient,
                result,
            });
        });
        let bias = bias[..self.linear.outputs].iter().map(|sum| *sum as f32).collect();
        let weights = self.packed().weight_gradient(context, input, gradient);
        self.packed().backward(context, gradient, input_gradient);
        [weights, bias]
    }
}
