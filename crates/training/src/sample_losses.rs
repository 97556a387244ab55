//! The losses of a batch, computed for some of its samples at a time.

use std::ops::Range;

use dataset::Batch;
use network::{ValueKind, passes::SparseObjective};

use crate::{
    losses::{LossConfig, policy_loss, total_weight, value_loss},
    targets::Targets,
};

/// The kind of value of every sparse network.
const KIND: ValueKind = ValueKind::Wdl;

/// Losses and targets of a batch.
pub(crate) struct BatchObjective<'a> {
    batch: &'a Batch,
    losses: &'a LossConfig,
    targets: Targets,
    /// Total weight of all samples, in the policy's loss and in the value's.
    totals: [f32; 2],
}

impl<'a> BatchObjective<'a> {
    pub(crate) fn new(batch: &'a Batch, losses: &'a LossConfig) -> Self {
        let targets = Targets::new(batch, losses, KIND);
        let labelled = batch.value_weights.iter().zip(&targets.value);
        let labelled = labelled.filter(|(_, target)| target.is_some()).map(|(weight, _)| *weight);
        let totals = [total_weight(batch.policy_weights.iter().copied()), total_weight(labelled)];
        Self { batch, losses, targets, totals }
    }
}

impl SparseObjective for BatchObjective<'_> {
    fn value(&self, samples: Range<usize>, outputs: &[f32], gradient: &mut [f32]) -> f64 {
        let (targets, weights) = (&self.targets.value[samples.clone()], &self.batch.value_weights[samples]);
        let (loss, found) = value_loss(KIND, self.losses.of_value(KIND), outputs, targets, weights);
        let labelled = weights.iter().zip(targets).filter(|(_, target)| target.is_some());
        // The loss is a mean over these samples; the result needed is their contribution to the mean over all samples.
        let share = total_weight(labelled.map(|(weight, _)| *weight)) / self.totals[1];
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
        let share = total_weight(weights.iter().copied()) / self.totals[0];
        for (to, from) in logits.iter_mut().zip(found) {
            *to = from * share * self.losses.policy_weight;
        }
        f64::from(loss) * f64::from(share)
    }
}
