//! The plan of a residual tower: the layers of the list with normalisation folded into the weights, which the kernels compile.
//!
//! `(x W - mean) / sqrt(variance + epsilon) * scale + shift` is `x (W f) + (shift - mean f)` with
//! `f = scale / sqrt(variance + epsilon)`.
//!
//! In play mean and variance are constants, so a normalisation is an affine map of each output of the convolution before it, and
//! nothing stands between the two. Therefore the convolution has no bias of its own in the specification: the mean would take it
//! away. In training the statistics are those of the batch and depend on the weights, so nothing can be folded.
//!
//! Three places have to agree: `EPSILON` here, in the kernels that train, and in their own folding for networks that are not
//! towers (`kernels/src/layers/folded.rs`). And the statistics have to be those of the weights that are exported: running means
//! belong to the weights before averaging, so the trainer measures them again (`Trainer::statistics`).

use chess::encoding::SQUARES;
use kernels::{Activation, Block, Convolution, Dense, Head, KernelSize, Plan, Policy, SqueezeExcite};

use super::{Matrix, Weights};
use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    parameter::EPSILON,
    planes::layers::tower::{self, BiasedLayer, NormalisedLayer, PooledLayers, TowerLayers},
};

impl Weights {
    /// The residual tower as the kernels compile it.
    ///
    /// # Errors
    /// [`NetworkError::Layer`] for a network that is not a residual tower; [`NetworkError::UnknownEncoding`], which reading a
    /// file already rules out.
    pub fn plan(&self) -> Result<Plan, NetworkError> {
        self.folded(&PlaneArchitecture::new(self.spec.planes()?)?)
    }

    /// As [`Weights::plan`], from the layers of the network's specification.
    pub(crate) fn folded(&self, architecture: &PlaneArchitecture) -> Result<Plan, NetworkError> {
        let tower = architecture.tower()?;
        let (parameters, statistics) = self.matrices.split_at(architecture.list.parameters.len());
        Ok(Folder { activation: tower.activation, parameters, statistics }.plan(tower))
    }
}

/// Converts a row of the layers' dense matrices, `channel * 64 + square`, to a row of the weights file's,
/// `square * channels + channel`.
pub(crate) fn square_major(row: usize, channels: usize) -> usize {
    row % SQUARES * channels + row / SQUARES
}

struct Folder<'a> {
    activation: Activation,
    parameters: &'a [Matrix],
    statistics: &'a [Matrix],
}

impl Folder<'_> {
    fn plan(&self, tower: &TowerLayers) -> Plan {
        Plan {
            stem: self.folded(tower.stem),
            activation: self.activation,
            blocks: tower.blocks.iter().map(|block| self.block(block)).collect(),
            policy: self.policy(tower),
            value: self.pooled(tower.value),
            moves_left: tower.moves_left.map(|head| self.pooled(head)),
        }
    }

    fn values(&self, parameter: usize) -> &[f32] {
        &self.parameters[parameter].values
    }

    /// A convolution with the normalisation after it folded in.
    fn folded(&self, layer: NormalisedLayer) -> Convolution {
        let statistics = &self.statistics[layer.statistics];
        let (means, variances) = statistics.values.split_at(statistics.shape[1]);
        // One factor for each output, so a column of the matrix is multiplied by it in every row.
        let scales = self.values(layer.scale).iter().zip(variances);
        let factors: Vec<f32> = scales.map(|(scale, variance)| scale / (variance + EPSILON).sqrt()).collect();
        let mut weights = self.values(layer.weight).to_vec();
        for row in weights.chunks_exact_mut(factors.len()) {
            for (weight, factor) in row.iter_mut().zip(&factors) {
                *weight *= factor;
            }
        }
        let mut bias = self.values(layer.shift).to_vec();
        for (output, shift) in bias.iter_mut().enumerate() {
            *shift -= means[output] * factors[output];
        }
        self.convolution(layer.kernel, layer.weight, weights, bias)
    }

    fn convolution(
        &self,
        kernel: KernelSize,
        weight: usize,
        weights: Vec<f32>,
        bias: Vec<f32>,
    ) -> Convolution {
        let (kernel, [rows, outputs]) = (kernel.side(), self.parameters[weight].shape);
        Convolution { kernel, inputs: rows / (kernel * kernel), outputs, weights, bias }
    }

    /// A dense layer that reads values without squares.
    fn dense(&self, layer: BiasedLayer) -> Dense {
        let [inputs, outputs] = self.parameters[layer.weight].shape;
        let (weights, bias) = (self.values(layer.weight).to_vec(), self.values(layer.bias).to_vec());
        Dense { inputs, outputs, weights, bias }
    }

    /// A dense layer that reads the whole board.
    fn dense_on_board(&self, layer: BiasedLayer, channels: usize) -> Dense {
        let dense = self.dense(layer);
        let mut weights = Vec::with_capacity(dense.weights.len());
        for row in 0..dense.inputs {
            let start = square_major(row, channels) * dense.outputs;
            weights.extend_from_slice(&dense.weights[start..start + dense.outputs]);
        }
        Dense { weights, ..dense }
    }

    fn block(&self, block: &tower::Block) -> Block {
        let squeeze_excite = block.excite.map(|[squeeze, excite]| SqueezeExcite {
            squeeze: self.dense(squeeze),
            excite: self.dense(excite),
            activation: self.activation,
        });
        let (first, second) = (self.folded(block.first), self.folded(block.second));
        Block { first, second, squeeze_excite, activation: self.activation }
    }

    fn policy(&self, tower: &TowerLayers) -> Policy {
        let (activation, first, last) = (self.activation, self.folded(tower.policy_first), tower.policy_last);
        if tower.dense_policy {
            let dense = self.dense_on_board(last, first.outputs);
            return Policy::Dense { convolution: first, activation, dense };
        }
        let (weights, bias) = (self.values(last.weight).to_vec(), self.values(last.bias).to_vec());
        let second = self.convolution(last.kernel, last.weight, weights, bias);
        Policy::Planes { first, activation, second }
    }

    fn pooled(&self, head: PooledLayers) -> Head {
        let convolution = self.folded(head.first);
        let hidden = self.dense_on_board(head.hidden, convolution.outputs);
        Head { convolution, hidden, activation: self.activation, output: self.dense(head.last) }
    }
}
