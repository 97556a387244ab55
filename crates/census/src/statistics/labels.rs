//! Samples by their labels, and those that contradict the rules of chess.

use std::fmt;

use chess::Score;
use dataset::Sample;
use serde::{Deserialize, Serialize};

/// Samples by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Labels {
    /// Samples with an evaluation in centipawns.
    pub centipawns: u64,
    /// Samples with a mate as evaluation.
    pub mate: u64,
    pub unevaluated: u64,
    /// Samples whose best move differs from the move played.
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

impl fmt::Display for Labels {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { centipawns, mate, unevaluated, slips, before_slips, repeated } = self;
        write!(
            formatter,
            "centipawns {centipawns}, mate {mate}, no evaluation {unevaluated}; slips {slips}, "
        )?;
        write!(formatter, "positions before a slip {before_slips}, repeated positions {repeated}")
    }
}

/// Samples that contradict the rules of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Legality {
    /// Samples whose position is illegal.
    pub illegal_positions: u64,
    /// Samples whose best move is illegal in their position.
    pub illegal_moves: u64,
}

impl Legality {
    pub(super) fn add(&mut self, sample: &Sample) {
        match sample.chess() {
            Err(_) => self.illegal_positions += 1,
            Ok(position) => self.illegal_moves += u64::from(sample.best_move.unpack(&position).is_none()),
        }
    }
}

impl fmt::Display for Legality {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { illegal_positions, illegal_moves } = self;
        write!(formatter, "{illegal_positions} illegal positions, {illegal_moves} illegal moves")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_stands_behind_its_name() {
        let labels =
            Labels { centipawns: 1, mate: 2, unevaluated: 3, slips: 4, before_slips: 5, repeated: 6 };
        assert_eq!(
            labels.to_string(),
            "centipawns 1, mate 2, no evaluation 3; slips 4, positions before a slip 5, repeated positions 6"
        );
    }
}
