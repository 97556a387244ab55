//! Histograms, for each split, of a recipe's value targets in a store.

use dataset::Split;
use network::ValueKind;

use crate::{
    TrainingError,
    losses::LossConfig,
    output_gradients::Targets,
    samples::{Samples, StreamRequest},
};

/// Number of bars from one end of the scale to the other.
const BARS: usize = 40;

/// The value targets that a recipe derives from a store.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueLabels {
    /// End of the scale, on both sides of zero: 1 for results, the limit for pawns.
    pub limit: f32,
    /// Number of targets in each bar, from the smallest to the largest, in the training and the validation split. All
    /// bars have the same width.
    pub bars: Vec<[u64; 2]>,
    /// Number of targets exactly at an end of the scale, for each split: won and lost games, and mates if all mates
    /// count alike.
    pub at_ends: [u64; 2],
    /// Number of samples without a target, for each split.
    pub without: [u64; 2],
}

impl ValueLabels {
    /// Counts every sample of both splits once, calling `progress` with the number counted.
    ///
    /// # Errors
    /// [`TrainingError::Store`] if the store cannot be read.
    pub fn count(
        samples: &dyn Samples,
        losses: &LossConfig,
        kind: ValueKind,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, TrainingError> {
        let limit = if let ValueKind::Pawns { limit, .. } = kind { limit } else { 1.0 };
        let mut labels = Self { limit, bars: vec![[0; 2]; BARS], at_ends: [0; 2], without: [0; 2] };
        let mut counted = 0;
        for split in [Split::Train, Split::Validation] {
            // Of one sample each, because an epoch of training omits a last batch that is not full.
            for batch in samples.stream(StreamRequest::in_order(split, 1))? {
                for target in Targets::new(&batch?, losses, kind).value {
                    labels.add(split as usize, target.map(|value| value.number));
                }
                counted += 1;
                progress(counted);
            }
        }
        Ok(labels)
    }

    fn add(&mut self, split: usize, target: Option<f32>) {
        let Some(target) = target else {
            self.without[split] += 1;
            return;
        };
        let share = f32::midpoint(target / self.limit, 1.0);
        let bar = (share * BARS as f32) as usize;
        self.bars[bar.min(BARS - 1)][split] += 1;
        self.at_ends[split] += u64::from(target.abs() >= self.limit);
    }

    /// The ends of a bar.
    pub fn range(&self, bar: usize) -> [f32; 2] {
        [bar, bar + 1].map(|edge| (edge as f32 / BARS as f32).mul_add(2.0, -1.0) * self.limit)
    }
}

#[cfg(test)]
mod tests {
    use network::synthetic::tiny_spec;

    use super::*;
    use crate::{ValueTarget, synthetic::Synthetic};

    #[test]
    fn every_sample_of_both_splits_is_counted_in_the_bar_that_holds_its_target() {
        let spec = tiny_spec();
        let samples = Synthetic::new(&spec, 50, 20);
        let losses = LossConfig { value_target: ValueTarget::Result, ..LossConfig::default() };
        let mut last = 0;
        let labels = ValueLabels::count(&samples, &losses, ValueKind::Wdl, |counted| last = counted).unwrap();
        let sum =
            |split: usize| labels.bars.iter().map(|bar| bar[split]).sum::<u64>() + labels.without[split];
        assert_eq!((sum(0), sum(1), last), (50, 20, 70));
        let decided = |split: usize| labels.bars[0][split] + labels.bars[BARS - 1][split];
        assert_eq!(labels.at_ends, [decided(0), decided(1)], "a result is at an end or a draw");
    }

    #[test]
    fn targets_stand_in_the_bars_that_are_named_after_them() {
        let empty = || ValueLabels { limit: 9.0, bars: vec![[0; 2]; BARS], at_ends: [0; 2], without: [0; 2] };
        for target in [-9.0, -8.99, -4.5, -0.01, 0.0, 0.44, 0.46, 8.99, 9.0] {
            let mut labels = empty();
            labels.add(1, Some(target));
            let bar = labels.bars.iter().position(|bar| bar[1] == 1).unwrap();
            let [from, to] = labels.range(bar);
            assert!(from - 1e-4 <= target && target <= to + 1e-4, "{target} in {from} to {to}");
            assert_eq!(labels.at_ends[1], u64::from(target.abs() == 9.0));
        }
        let mut labels = empty();
        labels.add(0, None);
        assert_eq!(labels, ValueLabels { without: [1, 0], ..empty() });
    }
}
