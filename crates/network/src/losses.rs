//! Policy and value losses and their gradients.

use chess::Wdl;
use serde::{Deserialize, Serialize};

use crate::{spec::ValueKind, targets::ValueTarget};

/// What is minimised: `policy_weight * policy + value_weight * value`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossConfig {
    /// Weight of the policy's cross-entropy over the legal moves. Default 1.
    #[serde(default = "one")]
    pub policy_weight: f32,
    /// Weight of the value's loss: cross-entropy for win/draw/loss, mean squared error for a scalar. Default 1.
    #[serde(default = "one")]
    pub value_weight: f32,
    /// Share of each policy target that is spread over all legal moves, 0 to 1. Default 0.
    #[serde(default)]
    pub label_smoothing: f32,
    /// How far evaluations of several moves are spread in the policy target, in expected score (0 to 1); 0 = the best move
    /// alone. Where only one move is known it changes nothing. Default 0.05.
    #[serde(default = "policy_temperature")]
    pub policy_temperature: f32,
    /// Where value targets come from. Default: 85 % evaluation, 15 % result.
    #[serde(default)]
    pub value_target: ValueTarget,
}

impl Default for LossConfig {
    fn default() -> Self {
        Self {
            policy_weight: 1.0,
            value_weight: 1.0,
            label_smoothing: 0.0,
            policy_temperature: policy_temperature(),
            value_target: ValueTarget::default(),
        }
    }
}

fn one() -> f32 {
    1.0
}

fn policy_temperature() -> f32 {
    dataset::POLICY_TEMPERATURE
}

/// Mean over the samples of -sum(target * log softmax(logits)), and its gradient with respect to the logits.
///
/// # Shapes
/// Logits and targets of all samples one after another; sample i has those from `offsets[i]` to `offsets[i + 1]`.
pub(crate) fn policy_loss(logits: &[f32], targets: &[f32], offsets: &[u32]) -> (f32, Vec<f32>) {
    let samples = (offsets.len() - 1) as f32;
    let (mut loss, mut gradient) = (0.0, vec![0.0; logits.len()]);
    for pair in offsets.windows(2) {
        let moves = pair[0] as usize..pair[1] as usize;
        loss += cross_entropy(&logits[moves.clone()], &targets[moves.clone()], &mut gradient[moves]);
    }
    for value in &mut gradient {
        *value /= samples;
    }
    ((loss / f64::from(samples)) as f32, gradient)
}

/// Mean over the labelled samples of the value's loss, and its gradient: cross-entropy of win, draw and loss, or
/// (tanh(output) - (win - loss)) squared.
///
/// # Shapes
/// outputs `[boards][3 | 1]`.
pub(crate) fn value_loss(kind: ValueKind, outputs: &[f32], targets: &[Option<Wdl>]) -> (f32, Vec<f32>) {
    let labelled = targets.iter().flatten().count().max(1) as f32;
    let (mut loss, mut gradient) = (0.0, vec![0.0; outputs.len()]);
    let rows = outputs.chunks_exact(kind.outputs()).zip(gradient.chunks_exact_mut(kind.outputs()));
    for ((output, gradient), target) in rows.zip(targets) {
        let Some(target) = target else { continue };
        match kind {
            ValueKind::Wdl => {
                loss += cross_entropy(output, &[target.win, target.draw, target.loss], gradient);
            }
            ValueKind::Scalar => {
                let value = output[0].tanh();
                let error = value - target.value();
                loss += f64::from(error * error);
                gradient[0] = 2.0 * error * (1.0 - value * value);
            }
        }
    }
    for value in &mut gradient {
        *value /= labelled;
    }
    ((loss / f64::from(labelled)) as f32, gradient)
}

/// -sum(target * log softmax(logits)); the gradient is softmax(logits) * sum(target) - target.
fn cross_entropy(logits: &[f32], targets: &[f32], gradient: &mut [f32]) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (power, logit) in gradient.iter_mut().zip(logits) {
        *power = (logit - largest).exp();
    }
    let sum: f32 = gradient.iter().sum();
    let total: f32 = targets.iter().sum();
    let mut loss = 0.0;
    for ((value, logit), target) in gradient.iter_mut().zip(logits).zip(targets) {
        loss -= f64::from(target * (logit - largest - sum.ln()));
        *value = *value / sum * total - target;
    }
    loss
}

#[cfg(test)]
mod tests;
