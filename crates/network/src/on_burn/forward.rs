//! The forward pass in tensors, for training and for play.
//!
//! A convolution weight is a matrix, see [`crate::architecture`]; Burn's own convolution reads it as its kernel.

use burn::tensor::{Tensor, activation};

use super::operations;
use crate::{
    architecture::{Architecture, BiasedLayer, Block, Kernel, NormalisedLayer, PooledLayers, SQUARES},
    spec::{Activation, PolicyHead, ValueKind},
};

/// Every parameter of a network, in the order of [`Architecture::parameters`]; each is a matrix.
pub(crate) type Parameters = Vec<Tensor<2>>;

/// Mean and variance of every normalisation, `[2, channels]`, in the order of [`Architecture::statistics`].
pub(crate) type Statistics = Vec<Tensor<2>>;

/// Where normalisations take mean and variance from.
pub(crate) enum Mode<'a> {
    /// From the batch itself, which is collected for the running statistics.
    Batch,
    /// From stored statistics.
    Stored(&'a [Tensor<2>]),
}

/// What a forward pass gives.
pub(crate) struct Outputs {
    /// The policy head's flat output, `[boards, policy_map.width()]`.
    pub(crate) policy: Tensor<2>,
    /// Three logits (win, draw, loss) or one number before tanh, `[boards, 3 | 1]`.
    pub(crate) value: Tensor<2>,
    /// What the value means.
    pub(crate) kind: ValueKind,
    /// Half-moves until the game ends, negative standing for zero, `[boards, 1]`.
    pub(crate) moves_left: Option<Tensor<2>>,
    /// The batch's own moments in [`Mode::Batch`], empty otherwise.
    pub(crate) moments: Statistics,
}

/// Runs the network.
///
/// # Shapes
/// input `[boards * 64, planes]`; see [`Outputs`].
pub(crate) fn forward(
    architecture: &Architecture,
    parameters: &[Tensor<2>],
    mode: Mode<'_>,
    input: Tensor<2>,
) -> Outputs {
    let mut pass = Pass { architecture, parameters, mode, moments: Vec::new() };
    let mut trunk = pass.normalised(architecture.stem, input); // [boards * 64, channels]
    for block in &architecture.blocks {
        trunk = pass.block(block, trunk);
    }
    let policy = pass.policy(trunk.clone());
    let value = pass.pooled(architecture.value, trunk.clone());
    let moves_left = architecture.moves_left.map(|head| pass.pooled(head, trunk));
    // The stem and heads are laid out in this order too, so moments and statistics correspond.
    Outputs { policy, value, kind: architecture.spec.value.kind, moves_left, moments: pass.moments }
}

struct Pass<'a> {
    architecture: &'a Architecture,
    parameters: &'a [Tensor<2>],
    mode: Mode<'a>,
    moments: Statistics,
}

impl Pass<'_> {
    /// `[rows, inputs]` -> `[rows, outputs]`: product, normalisation, activation.
    fn normalised(&mut self, layer: NormalisedLayer, input: Tensor<2>) -> Tensor<2> {
        let output = self.linear_then_norm(layer, input);
        self.activate(output)
    }

    /// `[boards * 64, channels]` -> the same.
    fn block(&mut self, block: &Block, input: Tensor<2>) -> Tensor<2> {
        let inner = self.normalised(block.first, input.clone());
        let mut inner = self.linear_then_norm(block.second, inner);
        if let Some(layers) = block.excite {
            inner = self.excite(layers, inner);
        }
        self.activate(inner + input)
    }

    /// Squeeze-excite: scales and shifts each channel depending on the channel averages.
    ///
    /// # Shapes
    /// `[boards * 64, channels]` -> the same.
    fn excite(&self, [squeeze, excite]: [BiasedLayer; 2], input: Tensor<2>) -> Tensor<2> {
        let [rows, channels] = input.dims();
        let boards = rows / SQUARES;
        let planes = input.reshape([boards, SQUARES, channels]);
        let pooled = planes.clone().mean_dim(1).reshape([boards, channels]);
        let hidden = self.activate(self.biased(squeeze, pooled));
        let gates = self.biased(excite, hidden).reshape([boards, 1, 2 * channels]);
        let scale = activation::sigmoid(gates.clone().narrow(2, 0, channels));
        let shift = gates.narrow(2, channels, channels);
        (planes * scale + shift).reshape([rows, channels])
    }

    /// `[boards * 64, channels]` -> `[boards, policy_map.width()]`.
    fn policy(&mut self, trunk: Tensor<2>) -> Tensor<2> {
        let architecture = self.architecture;
        let boards = trunk.dims()[0] / SQUARES;
        let mut inner = self.normalised(architecture.policy_first, trunk);
        if let PolicyHead::Dense { channels } = architecture.spec.policy {
            inner = inner.reshape([boards, SQUARES * channels]);
        }
        self.biased(architecture.policy_last, inner).reshape([boards, architecture.policy_map.width()])
    }

    /// `[boards * 64, channels]` -> `[boards, outputs]`.
    fn pooled(&mut self, head: PooledLayers, trunk: Tensor<2>) -> Tensor<2> {
        let boards = trunk.dims()[0] / SQUARES;
        let narrow = self.normalised(head.first, trunk);
        let channels = narrow.dims()[1];
        let flat = narrow.reshape([boards, SQUARES * channels]);
        let hidden = self.activate(self.biased(head.hidden, flat));
        self.biased(head.last, hidden)
    }

    fn biased(&self, layer: BiasedLayer, input: Tensor<2>) -> Tensor<2> {
        self.product(layer.kernel, layer.weight, input) + self.parameters[layer.bias].clone()
    }

    fn product(&self, kernel: Kernel, weight: usize, input: Tensor<2>) -> Tensor<2> {
        let weight = self.parameters[weight].clone();
        match kernel {
            Kernel::Square => input.matmul(weight),
            Kernel::Board => operations::convolution(input, weight),
        }
    }

    fn linear_then_norm(&mut self, layer: NormalisedLayer, input: Tensor<2>) -> Tensor<2> {
        let product = self.product(layer.kernel, layer.weight, input);
        let moments = match &self.mode {
            Mode::Stored(statistics) => statistics[layer.statistics].clone(),
            Mode::Batch => {
                let moments = operations::moments(product.clone());
                self.moments.push(moments.clone().inner());
                moments
            }
        };
        let scale = self.parameters[layer.scale].clone();
        let shift = self.parameters[layer.shift].clone();
        operations::normalise(product, moments, scale, shift)
    }

    fn activate(&self, input: Tensor<2>) -> Tensor<2> {
        match self.architecture.spec.activation {
            Activation::Relu => activation::relu(input),
            Activation::Mish => activation::mish(input),
            Activation::Swish => activation::silu(input),
        }
    }
}
