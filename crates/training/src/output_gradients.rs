//! The targets of a batch, its losses, and their gradients with respect to the outputs of the heads.

use std::ops::Range;

use dataset::Batch;
use network::{
    ValueKind,
    architecture::PlaneArchitecture,
    passes::{HeadOutputs, Objective, OutputGradients, SparseObjective},
    probabilities::PositionValue,
    trainable::LossFunctions,
};

use crate::{
    losses::{
        LossConfig, PolicyLogits, illegal_move_loss, labelled_weight, policy_loss, total_weight, value_loss,
    },
    value_target::ValueLabel,
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
        // The loss sees the logits of the legal moves only, one position after another; below, their gradients go back to the slots from
        // which the logits came. All other slots keep a gradient of 0, unless illegal moves have a loss of their own.
        let mut logits = Vec::with_capacity(slots.len());
        for (row, ends) in policy.chunks_exact(width).zip(offsets.windows(2)) {
            let legal = &slots[ends[0] as usize..ends[1] as usize];
            logits.extend(legal.iter().map(|&slot| row[slot as usize]));
        }
        let (loss, gradients) = policy_loss(&logits, targets, offsets, &batch.policy_weights);
        found.policy_loss = loss;
        found.policy = vec![0.0; policy.len()];
        for (row, ends) in found.policy.chunks_exact_mut(width).zip(offsets.windows(2)) {
            let legal = ends[0] as usize..ends[1] as usize;
            for (slot, gradient) in slots[legal.clone()].iter().zip(&gradients[legal]) {
                row[*slot as usize] += self.policy_weight * gradient;
            }
        }
        if self.illegal_move_weight > 0.0 {
            let moves: Vec<u32> = architecture.policy_slots().collect();
            let weights = &batch.policy_weights[..];
            let logits =
                PolicyLogits { logits: policy, width, moves: &moves, legal: slots, offsets, weights };
            let weight = self.policy_weight * self.illegal_move_weight;
            found.illegal_move_loss = Some(illegal_move_loss(logits, weight, &mut found.policy));
        }
    }
}

/// The kind of value of every sparse network.
const KIND: ValueKind = ValueKind::Wdl;

/// Losses and targets of a batch that a sparse network computes in parts.
///
/// The loss is a weighted mean over the whole batch, but each call sees only its part of the samples. It computes the mean over them and
/// multiplies it by their share of the batch's weight, so that the parts add up to the mean over the batch, however it was divided.
struct BatchObjective<'a> {
    batch: &'a Batch,
    losses: &'a LossConfig,
    targets: Targets,
    /// Total weight of all samples in the policy's loss.
    policy_total: f32,
    /// Total weight of all labelled samples in the value's loss.
    value_total: f32,
}

impl<'a> BatchObjective<'a> {
    fn new(batch: &'a Batch, losses: &'a LossConfig) -> Self {
        let targets = Targets::new(batch, losses, KIND);
        let policy_total = total_weight(batch.policy_weights.iter().copied());
        let value_total = labelled_weight(&targets.value, &batch.value_weights);
        Self { batch, losses, targets, policy_total, value_total }
    }
}

impl SparseObjective for BatchObjective<'_> {
    fn value(&self, samples: Range<usize>, outputs: &[f32], gradient: &mut [f32]) -> f64 {
        let (targets, weights) = (&self.targets.value[samples.clone()], &self.batch.value_weights[samples]);
        let (loss, found) = value_loss(KIND, self.losses.of_value(KIND), outputs, targets, weights);
        let share = labelled_weight(targets, weights) / self.value_total;
        for (to, from) in gradient.iter_mut().zip(found) {
            *to = from * share * self.losses.value_weight;
        }
        f64::from(loss) * f64::from(share)
    }

    fn policy(&self, samples: Range<usize>, logits: &mut [f32]) -> f64 {
        let offsets = &self.batch.legal_offsets[samples.start..=samples.end];
        let weights = &self.batch.policy_weights[samples];
        let first = offsets[0];
        let targets = &self.targets.policy[first as usize..offsets[offsets.len() - 1] as usize];
        let offsets: Vec<u32> = offsets.iter().map(|offset| offset - first).collect();
        let (loss, found) = policy_loss(logits, targets, &offsets, weights);
        let share = total_weight(weights.iter().copied()) / self.policy_total;
        for (to, from) in logits.iter_mut().zip(found) {
            *to = from * share * self.losses.policy_weight;
        }
        f64::from(loss) * f64::from(share)
    }
}

/// The targets of a batch as plain slices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Targets {
    /// Target probability of each legal move, laid out like [`Batch::legal_indices`].
    pub(crate) policy: Vec<f32>,
    /// Value targets; `None` for samples without one.
    pub(crate) value: Vec<Option<PositionValue>>,
}

impl Targets {
    /// The targets of a batch for a value head of this kind. With label smoothing, the configured fraction of each sample's
    /// probability is spread evenly over its legal moves (arXiv 1512.00567, section 7).
    pub(crate) fn new(batch: &Batch, losses: &LossConfig, kind: ValueKind) -> Self {
        let smoothing = losses.label_smoothing;
        let mut policy = Vec::with_capacity(batch.policy.len());
        for pair in batch.legal_offsets.windows(2) {
            let given = &batch.policy[pair[0] as usize..pair[1] as usize];
            let share = smoothing / given.len() as f32;
            policy.extend(given.iter().map(|probability| probability * (1.0 - smoothing) + share));
        }
        let value = (0..batch.size)
            .map(|sample| losses.value_target.of_head(ValueLabel::of(batch, sample), kind))
            .collect();
        Self { policy, value }
    }
}

#[cfg(test)]
mod tests {
    use dataset::Stage;

    use super::*;

    #[test]
    fn smoothing_keeps_each_sample_a_distribution() {
        let batch = Batch {
            size: 2,
            legal_offsets: vec![0, 2, 5],
            legal_indices: vec![0; 5],
            policy: vec![1.0, 0.0, 0.0, 0.5, 0.5],
            evaluations: vec![None, None],
            results: vec![None, None],
            search_values: vec![None, None],
            stages: vec![Stage::START; 2],
            policy_weights: vec![1.0; 2],
            value_weights: vec![1.0; 2],
            ..Batch::default()
        };
        let losses = LossConfig { label_smoothing: 0.1, ..LossConfig::default() };
        let targets = Targets::new(&batch, &losses, ValueKind::Wdl);
        let expected = [0.95, 0.05, 0.1 / 3.0, 0.45 + 0.1 / 3.0, 0.45 + 0.1 / 3.0];
        assert_eq!(targets.policy.len(), expected.len());
        for (found, expected) in targets.policy.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{:?}", targets.policy);
        }
    }
}
