//! Policy and value losses and their gradients.

mod policy;
mod value;

use dataset::{OriginWeights, SampleWeights};
use network::ValueKind;
use serde::{Deserialize, Serialize};

use crate::value_target::ValueTarget;

pub(crate) use policy::{PolicyLogits, illegal_move_loss, policy_loss, total_weight};
pub use value::ValueLoss;
pub(crate) use value::{labelled_weight, value_loss};

/// The training objective: `policy_weight * (policy + illegal_move_weight * illegal moves) + value_weight * value`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossConfig {
    /// Weight of the policy's loss. Default 1.
    pub policy_weight: f32,
    /// Weight of the value's loss. Default 1.
    pub value_weight: f32,
    /// Weight of -ln(total probability of the legal moves), which is added to the policy's cross-entropy over the legal
    /// moves. With 0, illegal moves are masked; with 1, the sum is the cross-entropy over all moves. Default 0.
    pub illegal_move_weight: f32,
    /// Fraction of each policy target that is spread evenly over all legal moves, 0 to 1. Default 0.
    pub label_smoothing: f32,
    /// Temperature of the policy target over the evaluations of several moves, in expected score (0 to 1); 0 uses only
    /// the best move. It has no effect on a sample with one known move. Default 0.05.
    pub policy_temperature: f32,
    /// Weights of samples by their origin, on top of their own weights: `human`, `engine`, `self_play`, `puzzle` and
    /// `unknown`. Losses are weighted means, so only ratios matter; validation weights all samples equally. Default 1
    /// each.
    #[serde(skip_serializing_if = "is_default")]
    pub origin_weights: OriginWeights,
    /// Weights by origin only for the policy, on top of `origin_weights`: 0 leaves an origin out of the
    /// policy loss. Default 1 each.
    #[serde(skip_serializing_if = "is_default")]
    pub policy_origin_weights: OriginWeights,
    /// Weights by origin only for the value, on top of `origin_weights`. Default 1 each.
    #[serde(skip_serializing_if = "is_default")]
    pub value_origin_weights: OriginWeights,
    /// The value's loss. Default: cross-entropy for win, draw and loss; squared error for a single number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_loss: Option<ValueLoss>,
    /// Source of the value targets. Default: 85 % evaluation, 15 % result.
    pub value_target: ValueTarget,
}

impl Default for LossConfig {
    fn default() -> Self {
        Self {
            policy_weight: 1.0,
            value_weight: 1.0,
            illegal_move_weight: 0.0,
            label_smoothing: 0.0,
            policy_temperature: dataset::POLICY_TEMPERATURE,
            origin_weights: OriginWeights::default(),
            policy_origin_weights: OriginWeights::default(),
            value_origin_weights: OriginWeights::default(),
            value_loss: None,
            value_target: ValueTarget::default(),
        }
    }
}

impl LossConfig {
    pub(crate) fn of_value(&self, kind: ValueKind) -> ValueLoss {
        self.value_loss.unwrap_or(match kind {
            ValueKind::Wdl => ValueLoss::CrossEntropy,
            ValueKind::Scalar | ValueKind::Pawns { .. } | ValueKind::None => ValueLoss::Squared,
        })
    }

    /// The unit of the value's loss, as recipes and reports name it; empty without a value. Values other than pawns go from -1 to 1.
    pub fn value_unit(&self, kind: ValueKind) -> &'static str {
        let in_pawns = matches!(kind, ValueKind::Pawns { .. });
        match self.of_value(kind) {
            _ if kind == ValueKind::None => "",
            ValueLoss::CrossEntropy => "nats",
            ValueLoss::Absolute if in_pawns => "pawns",
            ValueLoss::Squared if in_pawns => "squared pawns",
            ValueLoss::Huber { .. } if in_pawns => "Huber pawns",
            ValueLoss::Absolute => "value",
            ValueLoss::Squared => "squared value",
            ValueLoss::Huber { .. } => "Huber value",
        }
    }

    /// Weights of samples by origin in the losses of policy and value.
    pub fn sample_weights(&self) -> SampleWeights {
        SampleWeights {
            policy: self.origin_weights.times(self.policy_origin_weights),
            value: self.origin_weights.times(self.value_origin_weights),
        }
    }

    /// The sum that is minimised. A part without labels, or with weight 0, contributes nothing.
    pub(crate) fn total(&self, policy: f64, illegal_moves: f64, value: f64) -> f64 {
        f64::from(self.policy_weight) * (policy + f64::from(self.illegal_move_weight) * illegal_moves)
            + f64::from(self.value_weight) * value
    }
}

fn is_default(weights: &OriginWeights) -> bool {
    *weights == OriginWeights::default()
}

#[cfg(test)]
mod tests;
