//! The losses of a batch and their gradients with respect to the outputs of the heads.

use dataset::Batch;
use network::{
    architecture::PlaneArchitecture,
    passes::{HeadOutputs, Objective, OutputGradients, SparseObjective},
    trainable::LossFunctions,
};

use crate::{
    losses::{LossConfig, PolicyLogits, illegal_move_loss, policy_loss, value_loss},
    sample_losses::BatchObjective,
    targets::Targets,
};

impl LossFunctions for LossConfig {
    fn of_outputs(&self) -> &dyn Objective {
        self
    }

    fn of_samples<'a>(&'a self, batch: &'a Batch) -> Box<dyn SparseObjective + 'a> {
        Box::new(BatchObjective::new(batch, self))
    }
}

impl Objective for LossConfig {
    fn gradients(&self, architecture: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients {
        let kind = architecture.spec().value.kind;
        let targets = Targets::new(outputs.batch, self, kind);
        let mut found = OutputGradients::default();
        if !outputs.policy.is_empty() {
            self.add_policy(&mut found, architecture, outputs, &targets.policy);
        }
        (found.value_loss, found.value) = value_loss(
            kind,
            self.of_value(kind),
            outputs.value,
            &targets.value,
            &outputs.batch.value_weights,
        );
        for gradient in &mut found.value {
            *gradient *= self.value_weight;
        }
        found
    }
}

impl LossConfig {
    fn add_policy(
        &self,
        found: &mut OutputGradients,
        architecture: &PlaneArchitecture,
        outputs: HeadOutputs<'_>,
        targets: &[f32],
    ) {
        let HeadOutputs { policy, batch, slots, .. } = outputs;
        let (width, offsets) = (architecture.policy_width(), &batch.legal_offsets[..]);
        let rows = || policy.chunks_exact(width).zip(offsets.windows(2));
        let legal = |(row, moves): (&[f32], &[u32])| -> Vec<f32> {
            slots[moves[0] as usize..moves[1] as usize].iter().map(|&slot| row[slot as usize]).collect()
        };
        let logits: Vec<f32> = rows().flat_map(legal).collect();
        let (loss, gradients) = policy_loss(&logits, targets, offsets, &batch.policy_weights);
        found.policy_loss = loss;
        found.policy = vec![0.0; policy.len()];
        for (row, moves) in found.policy.chunks_exact_mut(width).zip(offsets.windows(2)) {
            let moves = moves[0] as usize..moves[1] as usize;
            for (slot, gradient) in slots[moves.clone()].iter().zip(&gradients[moves]) {
                row[*slot as usize] += self.policy_weight * gradient;
            }
        }
        found.illegal_move_loss = (self.illegal_move_weight > 0.0).then(|| {
            let weight = self.policy_weight * self.illegal_move_weight;
            let moves: Vec<u32> = architecture.policy_slots().collect();
            let weights = &batch.policy_weights[..];
            let logits =
                PolicyLogits { logits: policy, width, moves: &moves, legal: slots, offsets, weights };
            illegal_move_loss(logits, weight, &mut found.policy)
        });
    }
}
