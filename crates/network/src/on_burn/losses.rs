//! The losses as tensors with gradients.

use burn::tensor::{Tensor, activation};
use chess::Wdl;
use dataset::Batch;

use super::{forward::Outputs, inputs::LegalMoves};
use crate::{device::Device, losses::LossConfig, spec::ValueKind, targets::Targets};

/// The losses of one batch, each `[1]` and the mean over its labelled samples.
pub(crate) struct Losses {
    pub(crate) policy: Tensor<1>,
    pub(crate) value: Tensor<1>,
    pub(crate) total: Tensor<1>,
}

impl Losses {
    /// Compares the network's outputs with a batch's targets.
    pub(crate) fn new(
        outputs: Outputs,
        legal: &LegalMoves,
        batch: &Batch,
        config: &LossConfig,
        device: &Device,
    ) -> Self {
        let targets = Targets::new(batch, config.label_smoothing, config.value_target);
        let mut padded = vec![0.0; batch.size * legal.width];
        for (row, pair) in padded.chunks_exact_mut(legal.width).zip(batch.legal_offsets.windows(2)) {
            let given = &targets.policy[pair[0] as usize..pair[1] as usize];
            row[..given.len()].copy_from_slice(given);
        }
        let target = device.matrix(padded, [batch.size, legal.width]);
        let policy = policy_cross_entropy(legal.gather(outputs.policy), target);
        let value = match outputs.kind {
            ValueKind::Wdl => wdl_cross_entropy(outputs.value, &targets.value, device),
            ValueKind::Scalar => scalar_error(outputs.value, &targets.value, device),
        };
        let total =
            policy.clone().mul_scalar(config.policy_weight) + value.clone().mul_scalar(config.value_weight);
        Self { policy, value, total }
    }
}

/// Mean over the samples of -sum(target * log softmax(logits)).
///
/// # Shapes
/// logits and target `[boards, moves]` -> `[1]`.
pub(crate) fn policy_cross_entropy(logits: Tensor<2>, target: Tensor<2>) -> Tensor<1> {
    let boards = logits.dims()[0];
    (activation::log_softmax(logits, 1) * target).sum().mul_scalar(-1.0 / boards as f32)
}

/// Mean over the labelled samples of the cross-entropy of win, draw and loss.
///
/// # Shapes
/// logits `[boards, 3]` -> `[1]`.
pub(crate) fn wdl_cross_entropy(logits: Tensor<2>, targets: &[Option<Wdl>], device: &Device) -> Tensor<1> {
    let rows = targets.iter().flat_map(|target| target.map_or([0.0; 3], |wdl| [wdl.win, wdl.draw, wdl.loss]));
    let target = device.matrix(rows.collect(), [targets.len(), 3]);
    (activation::log_softmax(logits, 1) * target).sum().mul_scalar(-1.0 / labelled(targets))
}

/// Mean over the labelled samples of (tanh(output) - (win - loss)) squared.
///
/// # Shapes
/// output `[boards, 1]` -> `[1]`.
pub(crate) fn scalar_error(output: Tensor<2>, targets: &[Option<Wdl>], device: &Device) -> Tensor<1> {
    let shape = [targets.len(), 1];
    let target = device.matrix(targets.iter().map(|target| target.map_or(0.0, Wdl::value)).collect(), shape);
    let known = device.matrix(targets.iter().map(|target| f32::from(target.is_some())).collect(), shape);
    ((output.tanh() - target).square() * known).sum().mul_scalar(1.0 / labelled(targets))
}

fn labelled(targets: &[Option<Wdl>]) -> f32 {
    targets.iter().flatten().count().max(1) as f32
}

#[cfg(test)]
#[cfg(feature = "burn-cpu")]
mod tests;
