//! Labels of games that were left out because their meaning is in doubt.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The reason for which a label of a game was left out. The game itself is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelDoubt {
    /// An evaluation in an unknown form, such as `[%eval good]`.
    UnreadEvaluation,
    /// A number that may be pawns, centipawns or the code of a mate.
    EvaluationScale,
    /// An evaluation that may be White's view or the mover's.
    EvaluationView,
    /// A mate in 0 before a move, or a number of plies to mate that contradicts the mating side.
    MateCount,
    /// A clock that is not hours, minutes and seconds.
    UnreadClock,
    /// A better move that is not legal.
    UnreadBetterMove,
    /// What follows the first 64 KiB of a comment.
    LongComment,
    /// The result of a game without one behind its moves, unless a tag tells it.
    MissingResult,
    /// A comment, a variation or the last word of a file, without an end.
    CutOff,
}

impl LabelDoubt {
    /// The name under which such labels are counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnreadEvaluation => "unread_evaluation",
            Self::EvaluationScale => "evaluation_scale",
            Self::EvaluationView => "evaluation_view",
            Self::MateCount => "mate_count",
            Self::UnreadClock => "unread_clock",
            Self::UnreadBetterMove => "unread_better_move",
            Self::LongComment => "long_comment",
            Self::MissingResult => "missing_result",
            Self::CutOff => "cut_off",
        }
    }
}

/// Numbers of labels that were left out, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LabelDoubts(BTreeMap<LabelDoubt, u64>);

impl LabelDoubts {
    /// Counts one label.
    pub fn count(&mut self, doubt: LabelDoubt) {
        *self.0.entry(doubt).or_default() += 1;
    }

    /// Adds the numbers of others.
    pub fn add(&mut self, others: &Self) {
        for (&doubt, count) in &others.0 {
            *self.0.entry(doubt).or_default() += count;
        }
    }

    /// True if no label was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number left out for a reason.
    pub fn of(&self, doubt: LabelDoubt) -> u64 {
        self.0.get(&doubt).copied().unwrap_or_default()
    }
}

impl std::fmt::Display for LabelDoubts {
    /// The reasons with their numbers, such as `evaluation_scale 12, unread_clock 3`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = self.0.iter().map(|(doubt, count)| format!("{} {count}", doubt.name()));
        formatter.write_str(&counts.collect::<Vec<_>>().join(", "))
    }
}
