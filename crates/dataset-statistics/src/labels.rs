//! Samples by their labels.

use chess::Score;
use dataset::Sample;
use serde::{Deserialize, Serialize};

/// Labels of the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// Samples with an evaluation in centipawns.
    pub centipawns: u64,
    /// Samples with a mate as evaluation.
    pub mate: u64,
    /// Samples without evaluation.
    pub unevaluated: u64,
    /// Samples whose move to learn is not the one played.
    pub slips: u64,
    /// Samples followed by a slip, their own move included.
    pub before_slips: u64,
    /// Samples whose position occurred before in its game.
    pub repeated: u64,
}

impl Labels {
    pub(super) fn add(&mut self, sample: &Sample) {
        *match sample.evaluation {
            Some(Score::Centipawns(_)) => &mut self.centipawns,
            Some(Score::Mate(_)) => &mut self.mate,
            None => &mut self.unevaluated,
        } += 1;
        self.slips += u64::from(sample.played_move.is_some());
        self.before_slips += u64::from(sample.slips > 0);
        self.repeated += u64::from(sample.repetitions > 0);
    }
}
