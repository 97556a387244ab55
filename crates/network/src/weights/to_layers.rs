//! From a weights file's matrices to the layers that every network outside training is built from.
//!
//! Normalisation becomes part of the matrix before it: `(x W - mean) / sqrt(variance + epsilon) * scale + shift` is
//! `x (W f) + (shift - mean f)` with `f = scale / sqrt(variance + epsilon)`.

use super::{Matrix, Weights};
use crate::{
    NetworkError,
    architecture::{
        Architecture, BiasedLayer, Block, EPSILON, Kernel, NormalisedLayer, PooledLayers, SQUARES,
    },
    policy_map::{POLICY_PLANES, PolicyMap},
    reference::{
        Activation, Convolution, Dense, Layers, PolicyHead, PooledHead, ReferenceNetwork, ResidualBlock,
        ShapeError, SqueezeExcite,
    },
    spec,
};

impl Weights {
    /// The network as plain layers, ready to be run or compiled; its name is that of the provenance.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], [`NetworkError::Shape`]. Reading has refused such files already.
    pub fn network(&self) -> Result<ReferenceNetwork, NetworkError> {
        let architecture = Architecture::new(&self.spec)?;
        let (parameters, statistics) = self.matrices.split_at(architecture.parameters.len());
        let folder = Folder { activation: self.spec.activation.into(), parameters, statistics };
        let layers = folder.layers(&architecture)?;
        let (input, moves) = (self.spec.input_encoding()?, self.spec.move_encoding()?);
        Ok(ReferenceNetwork::new(self.provenance.name.clone(), input, moves, layers)?)
    }
}

/// Kernel rows and columns.
fn size(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Board => 3,
        Kernel::Square => 1,
    }
}

/// Row of our dense matrices, `square * channels + channel`, for a row of the layers', `channel * 64 + square`.
pub(super) fn square_major(row: usize, channels: usize) -> usize {
    row % SQUARES * channels + row / SQUARES
}

struct Folder<'a> {
    activation: Activation,
    parameters: &'a [Matrix],
    statistics: &'a [Matrix],
}

impl Folder<'_> {
    fn layers(&self, architecture: &Architecture) -> Result<Layers, ShapeError> {
        Ok(Layers {
            stem: self.folded(architecture.stem)?,
            activation: self.activation,
            blocks: architecture.blocks.iter().map(|block| self.block(block)).collect::<Result<_, _>>()?,
            policy: self.policy(architecture)?,
            value: self.pooled(architecture.value)?,
            moves_left: architecture.moves_left.map(|head| self.pooled(head)).transpose()?,
        })
    }

    fn values(&self, parameter: usize) -> &[f32] {
        &self.parameters[parameter].values
    }

    /// A convolution with the normalisation after it.
    fn folded(&self, layer: NormalisedLayer) -> Result<Convolution, ShapeError> {
        let moments = &self.statistics[layer.statistics];
        let (means, variances) = moments.values.split_at(moments.shape[1]);
        let scales = self.values(layer.scale).iter().zip(variances);
        let factors: Vec<f32> = scales.map(|(scale, variance)| scale / (variance + EPSILON).sqrt()).collect();
        let rows = self.values(layer.weight).chunks_exact(factors.len());
        let weights = rows.flat_map(|row| row.iter().zip(&factors).map(|(weight, factor)| weight * factor));
        let shifts = self.values(layer.shift).iter().zip(means).zip(&factors);
        let bias = shifts.map(|((shift, mean), factor)| shift - mean * factor).collect();
        Convolution::from_matrix(size(layer.kernel), weights.collect(), bias)
    }

    /// A convolution without normalisation.
    fn convolution(&self, layer: BiasedLayer) -> Result<Convolution, ShapeError> {
        let (weights, bias) = (self.values(layer.weight).to_vec(), self.values(layer.bias).to_vec());
        Convolution::from_matrix(size(layer.kernel), weights, bias)
    }

    fn dense(&self, layer: BiasedLayer) -> Result<Dense, ShapeError> {
        Dense::from_matrix(self.values(layer.weight).to_vec(), self.values(layer.bias).to_vec())
    }

    /// A dense layer that reads the whole board.
    fn dense_on_board(&self, layer: BiasedLayer, channels: usize) -> Result<Dense, ShapeError> {
        let matrix = &self.parameters[layer.weight];
        let [rows, columns] = matrix.shape;
        let row = |row| &matrix.values[square_major(row, channels) * columns..][..columns];
        let weights = (0..rows).flat_map(row).copied().collect();
        Dense::from_matrix(weights, self.values(layer.bias).to_vec())
    }

    fn block(&self, block: &Block) -> Result<ResidualBlock, ShapeError> {
        let unit = block.excite.map(|[squeeze, excite]| {
            SqueezeExcite::new(self.dense(squeeze)?, self.dense(excite)?, self.activation)
        });
        let (first, second) = (self.folded(block.first)?, self.folded(block.second)?);
        ResidualBlock::new(first, second, unit.transpose()?, self.activation)
    }

    fn policy(&self, architecture: &Architecture) -> Result<PolicyHead, ShapeError> {
        let activation = self.activation;
        let first = self.folded(architecture.policy_first)?;
        if let spec::PolicyHead::Dense { .. } = architecture.spec.policy {
            let dense = self.dense_on_board(architecture.policy_last, first.outputs())?;
            return Ok(PolicyHead::Dense { convolution: first, activation, dense });
        }
        let second = self.convolution(architecture.policy_last)?;
        let gather = gather(&architecture.policy_map, architecture.moves);
        Ok(PolicyHead::Convolutional { first, activation, second, gather })
    }

    fn pooled(&self, head: PooledLayers) -> Result<PooledHead, ShapeError> {
        let convolution = self.folded(head.first)?;
        let hidden = self.dense_on_board(head.hidden, convolution.outputs())?;
        Ok(PooledHead { convolution, hidden, activation: self.activation, output: self.dense(head.last)? })
    }
}

/// `plane * 64 + square` for each move index. Indices that no legal move has map to plane 0 of a1 and are never used.
fn gather(map: &PolicyMap, moves: usize) -> Vec<usize> {
    let place = |slot: u32| {
        let (square, plane) = (slot as usize / POLICY_PLANES, slot as usize % POLICY_PLANES);
        plane * SQUARES + square
    };
    (0..moves).map(|index| map.slot(index).map_or(0, place)).collect()
}

impl From<spec::Activation> for Activation {
    fn from(activation: spec::Activation) -> Self {
        match activation {
            spec::Activation::Relu => Self::Relu,
            spec::Activation::Mish => Self::Mish,
            spec::Activation::Swish => Self::Swish,
        }
    }
}
