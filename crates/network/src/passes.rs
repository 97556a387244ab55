//! Training passes: the outputs of a network for a batch, and the gradients of an objective.
//!
//! Parameters, gradients and statistics are plain slices of floats, so one optimiser, one checkpoint format and one
//! weights format serve all kernels, and a run can move from one machine to another.

use std::{fmt, str::FromStr};

use dataset::Batch;
use kernels::Precision;
use serde::{Deserialize, Serialize};

use crate::{
    NetworkError, architecture::PlaneArchitecture, error::invalid, probabilities::legal_log_probability,
};

pub use crate::planes::passes::PlanePasses;
pub use crate::sparse::passes::{
    AdamStep, AdamW, BodyRows, Floats, GRADIENT_LIMIT, Gradient, GradientStep, LayerParameters, MoveTables,
    Readers, RowGradient, RowState, SparseLayout, SparseLosses, SparseObjective, SparsePasses, ValueLayers,
    squares,
};
pub use kernels::{layers::NormStatistics, use_large_pages};

/// The values of every parameter, in the order of the architecture, each a matrix in row-major order. Also used for
/// gradients.
pub type Parameters = Vec<Vec<f32>>;

/// Mean and variance of every batch normalisation, `[2, channels]`, in the order of the architecture.
pub type Statistics = Vec<Vec<f32>>;

/// The forward pass of a network with given parameters.
pub trait Forward: Send {
    /// The outputs of a batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch was encoded for another network.
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError>;
}

/// The training objective, as a function of the head outputs. It is computed on plain slices, so it is the same for
/// all kernels.
pub trait Objective {
    /// The losses of a batch and their gradients.
    fn gradients(&self, architecture: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients;
}

/// Losses of a batch and their gradients with respect to the outputs of the heads. Both are empty for a head
/// that the network lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputGradients {
    /// Mean over the samples, weighted by sample weight as for the other losses.
    pub policy_loss: f32,
    /// Mean over the samples with a value target.
    pub value_loss: f32,
    /// Mean over the samples, if this loss has a weight.
    pub illegal_move_loss: Option<f32>,
    /// Gradient of the weighted sum with respect to the policy's outputs, `[boards][policy_width]`.
    pub policy: Vec<f32>,
    /// Gradient of the weighted sum with respect to the value's outputs, `[boards][outputs]`.
    pub value: Vec<f32>,
}

impl OutputGradients {
    /// The losses together with the gradients of the parameters, computed from the gradients of the outputs.
    pub(crate) fn with_parameters(self, gradients: Parameters, times: Option<PassTimes>) -> LossGradients {
        let Self { policy_loss, value_loss, illegal_move_loss, .. } = self;
        LossGradients { policy_loss, value_loss, illegal_move_loss, gradients, times }
    }
}

/// The losses of a batch, and their gradient.
#[derive(Clone, Debug)]
pub struct LossGradients {
    /// Mean over the samples, weighted by sample weight.
    pub policy_loss: f32,
    /// Mean over the samples with a value target.
    pub value_loss: f32,
    /// Mean over the samples, if this loss has a weight.
    pub illegal_move_loss: Option<f32>,
    /// Gradient of the weighted sum of the losses with respect to every parameter.
    pub gradients: Parameters,
    /// Duration of each part, if they run one after another.
    pub times: Option<PassTimes>,
}

/// Duration of the parts of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassTimes {
    /// Seconds from the batch to the network's input.
    pub encode: f64,
    /// Seconds from the network's input to the losses.
    pub forward: f64,
    /// Seconds from the losses to the gradients of the parameters.
    pub backward: f64,
}

/// The outputs of a network for a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// The logit of each legal move, before softmax, laid out like [`Batch::legal_indices`].
    pub logits: Vec<f32>,
    /// `[boards][outputs]`, before softmax or tanh.
    pub values: Vec<f32>,
    /// Natural logarithm of the total probability of each board's legal moves under a softmax over all moves; empty
    /// without a policy.
    pub legal: Vec<f32>,
    /// The mean and variance that were used.
    pub statistics: Statistics,
}

impl Outputs {
    /// Adds the outputs of the policy head for some boards: `moves` are the positions of the outputs that belong to
    /// moves, `legal` those of each board's legal moves.
    ///
    /// # Shapes
    /// outputs `[boards][width]`.
    pub(crate) fn add_policy<'a>(
        &mut self,
        outputs: &[f32],
        width: usize,
        moves: &[u32],
        legal: impl Iterator<Item = &'a [u32]>,
    ) {
        for (logits, legal) in outputs.chunks_exact(width).zip(legal) {
            self.logits.extend(legal.iter().map(|&slot| logits[slot as usize]));
            self.legal.push(legal_log_probability(logits, moves, legal));
        }
    }
}

/// Raw outputs of the heads for a batch, before softmax or tanh; empty for a head that the network lacks.
#[derive(Clone, Copy, Debug)]
pub struct HeadOutputs<'a> {
    /// `[boards][policy_width]`.
    pub policy: &'a [f32],
    /// `[boards][outputs]`.
    pub value: &'a [f32],
    /// The batch with the targets that the outputs are compared with.
    pub batch: &'a Batch,
    /// Position of each legal move's logit in its board's row of the policy, laid out like [`Batch::legal_indices`].
    pub slots: &'a [u32],
}

/// The number format of the products in training; in a network of planes, those of convolutions and dense layers. Weights, sums, gradients and checkpoints are 32-bit floats in either precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingPrecision {
    /// 32-bit floats.
    #[default]
    F32,
    /// 16-bit floats with the 8-bit exponent of 32-bit floats.
    Bf16,
}

impl TrainingPrecision {
    /// The name in recipes and on the command line.
    pub fn name(self) -> &'static str {
        self.kernels().name()
    }

    /// The corresponding precision of the kernels.
    pub fn kernels(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::Bf16 => Precision::Bf16,
        }
    }
}

impl fmt::Display for TrainingPrecision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernels().fmt(formatter)
    }
}

impl FromStr for TrainingPrecision {
    type Err = NetworkError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::F32, Self::Bf16]
            .into_iter()
            .find(|precision| precision.name() == name)
            .ok_or_else(|| invalid("command line", "precision", format!("{name:?}"), "f32 or bf16".into()))
    }
}

#[cfg(test)]
pub(crate) mod tests;
