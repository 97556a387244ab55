//! Bars of histograms.

use std::collections::BTreeMap;

use chess::Score;
use serde::{Deserialize, Serialize};

/// Width of a bar of the evaluation histogram.
const CENTIPAWN_STEP: i32 = 100;

/// Evaluations at least this far from zero share the outermost bars.
const CENTIPAWN_LIMIT: i32 = 1000;

/// Samples with an evaluation in `from..to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct EvaluationBar {
    /// Centipawns at which the bar begins; `None`: no limit.
    pub from: Option<i32>,
    /// Centipawns at which the next bar begins; `None`: no limit.
    pub to: Option<i32>,
    pub positions: u64,
}

/// The values from `from` up to the next bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Bar {
    /// The number at which the bar begins.
    pub from: u16,
    pub count: u64,
}

/// Counts numbers by bars of one width.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    step: u16,
    counts: BTreeMap<u16, u64>,
}

impl Histogram {
    pub(super) fn new(step: u16) -> Self {
        Self { step, counts: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, value: u16) {
        *self.counts.entry(value / self.step * self.step).or_default() += 1;
    }

    /// The bars without gaps.
    pub(super) fn bars(&self) -> Vec<Bar> {
        let ends = (self.counts.first_key_value(), self.counts.last_key_value());
        let (Some((&first, _)), Some((&last, _))) = ends else { return Vec::new() };
        (first..=last)
            .step_by(usize::from(self.step))
            .map(|from| Bar { from, count: self.counts.get(&from).copied().unwrap_or(0) })
            .collect()
    }
}

/// Counts evaluations in centipawns: few bars, and many samples, so a vector instead of the map of [`Histogram`].
#[derive(Debug)]
pub(super) struct EvaluationHistogram(Vec<u64>);

impl Default for EvaluationHistogram {
    /// One bar beyond each limit and the bars between them.
    fn default() -> Self {
        Self(vec![0; (2 * CENTIPAWN_LIMIT / CENTIPAWN_STEP) as usize + 2])
    }
}

impl EvaluationHistogram {
    pub(super) fn add(&mut self, evaluation: Option<Score>) {
        if let Some(Score::Centipawns(centipawns)) = evaluation {
            self.0[bar(centipawns)] += 1;
        }
    }

    /// The bars of these and others together.
    pub(super) fn bars_with(&self, other: &Self) -> Vec<EvaluationBar> {
        let last = self.0.len() - 1;
        let mut bars = Vec::with_capacity(self.0.len());
        for (bar, count) in self.0.iter().enumerate() {
            let upper_edge = bar as i32 * CENTIPAWN_STEP - CENTIPAWN_LIMIT;
            bars.push(EvaluationBar {
                from: (bar > 0).then_some(upper_edge - CENTIPAWN_STEP),
                to: (bar < last).then_some(upper_edge),
                positions: count + other.0[bar],
            });
        }
        bars
    }

    pub(super) fn bars(&self) -> Vec<EvaluationBar> {
        self.bars_with(&Self::default())
    }
}

fn bar(centipawns: i32) -> usize {
    // A whole bar below the lower limit: bars include their lower edge, so -1000 belongs to the first within.
    let limited = centipawns.clamp(-CENTIPAWN_LIMIT - CENTIPAWN_STEP, CENTIPAWN_LIMIT);
    ((limited + CENTIPAWN_LIMIT).div_euclid(CENTIPAWN_STEP) + 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_the_evaluations_they_name() {
        for centipawns in [-30_000, -1001, -1000, -999, -100, -1, 0, 1, 99, 100, 999, 1000, 30_000] {
            let mut histogram = EvaluationHistogram::default();
            histogram.add(Some(Score::Centipawns(centipawns)));
            let bars = histogram.bars();
            let filled: Vec<_> = bars.iter().filter(|bar| bar.positions > 0).collect();
            let [bar] = filled[..] else { panic!("{filled:?}") };
            assert!(bar.from.is_none_or(|from| from <= centipawns), "{centipawns} in {bar:?}");
            assert!(bar.to.is_none_or(|to| centipawns < to), "{centipawns} in {bar:?}");
        }
    }

    #[test]
    fn histograms_have_no_gaps() {
        let mut histogram = Histogram::new(20);
        for value in [45, 59, 101] {
            histogram.add(value);
        }
        let found: Vec<_> = histogram.bars().iter().map(|bar| (bar.from, bar.count)).collect();
        assert_eq!(found, [(40, 2), (60, 0), (80, 0), (100, 1)]);
        assert_eq!(Histogram::new(20).bars(), []);
    }
}
