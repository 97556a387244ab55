//! Targets of a batch: policies over legal moves, and values.

use dataset::Batch;
use network::{ValueKind, probabilities::PositionValue};

use crate::{losses::LossConfig, value_target::ValueLabel};

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
        let of_sample = |sample| losses.value_target.of_head(ValueLabel::of(batch, sample), kind);
        let value = (0..batch.size).map(of_sample).collect();
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
