//! The losses of a batch and their gradients with respect to what the heads put out: the same on every device.

use dataset::Batch;

use crate::{
    architecture::Architecture,
    losses::{LossConfig, PolicyLogits, illegal_move_loss, policy_loss, value_loss},
    targets::Targets,
};

/// Losses and their gradients; a head that is not there has neither.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OutputGradients {
    /// Mean over the samples by their weights, as the other losses.
    pub(crate) policy_loss: f32,
    /// Mean over the samples with a value target.
    pub(crate) value_loss: f32,
    /// Mean over the samples, where it has a weight.
    pub(crate) illegal_move_loss: Option<f32>,
    /// Of the weighted sum, `[boards][width]`.
    pub(crate) policy: Vec<f32>,
    /// Of the weighted sum, `[boards][outputs]`.
    pub(crate) value: Vec<f32>,
}

impl OutputGradients {
    /// Compares outputs with a batch's targets; `slots` says where each legal move's logit is.
    ///
    /// # Shapes
    /// outputs: policy `[boards][width]`, value `[boards][outputs]`, empty where there is no such head.
    pub(crate) fn new(
        architecture: &Architecture,
        [policy, value]: [&[f32]; 2],
        (batch, slots): (&Batch, &[u32]),
        losses: &LossConfig,
    ) -> Self {
        let kind = architecture.spec.value.kind;
        let targets = Targets::new(batch, losses, kind);
        let mut found = Self {
            policy_loss: 0.0,
            value_loss: 0.0,
            illegal_move_loss: None,
            policy: Vec::new(),
            value: Vec::new(),
        };
        if !policy.is_empty() {
            found.add_policy(architecture, (policy, &targets.policy), (batch, slots), losses);
        }
        (found.value_loss, found.value) =
            value_loss(kind, losses.of_value(kind), value, &targets.value, &batch.weights);
        for gradient in &mut found.value {
            *gradient *= losses.value_weight;
        }
        found
    }

    fn add_policy(
        &mut self,
        architecture: &Architecture,
        (outputs, targets): (&[f32], &[f32]),
        (batch, slots): (&Batch, &[u32]),
        losses: &LossConfig,
    ) {
        let (width, offsets) = (architecture.policy_map.width(), &batch.legal_offsets[..]);
        let rows = || outputs.chunks_exact(width).zip(offsets.windows(2));
        let legal = |(row, moves): (&[f32], &[u32])| -> Vec<f32> {
            slots[moves[0] as usize..moves[1] as usize].iter().map(|&slot| row[slot as usize]).collect()
        };
        let logits: Vec<f32> = rows().flat_map(legal).collect();
        let (loss, gradients) = policy_loss(&logits, targets, offsets, &batch.weights);
        self.policy_loss = loss;
        self.policy = vec![0.0; outputs.len()];
        for (row, moves) in self.policy.chunks_exact_mut(width).zip(offsets.windows(2)) {
            let moves = moves[0] as usize..moves[1] as usize;
            for (slot, gradient) in slots[moves.clone()].iter().zip(&gradients[moves]) {
                row[*slot as usize] += losses.policy_weight * gradient;
            }
        }
        self.illegal_move_loss = (losses.illegal_move_weight > 0.0).then(|| {
            let weight = losses.policy_weight * losses.illegal_move_weight;
            let moves: Vec<u32> = architecture.policy_map.slots().collect();
            let weights = &batch.weights[..];
            let logits =
                PolicyLogits { logits: outputs, width, moves: &moves, legal: slots, offsets, weights };
            illegal_move_loss(logits, weight, &mut self.policy)
        });
    }
}
