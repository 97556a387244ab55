//! What the network should answer: value targets from evaluations and results, policy targets over legal moves.

use chess::{Score, Wdl};
use dataset::{Batch, EvaluationCurve, GameResult};
use serde::{Deserialize, Serialize};

use crate::{losses::LossConfig, outputs::PositionValue, spec::ValueKind};

/// Where the value target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "from")]
pub enum ValueTarget {
    /// The engine's evaluation; samples without one do not train the value head.
    Evaluation {
        /// From centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
        /// What a mate is worth to a value head of kind `pawns`. Default: the head's limit.
        #[serde(default, skip_serializing_if = "MatePawns::is_default")]
        mates: MatePawns,
    },
    /// The game's result; samples without one do not train the value head.
    Result,
    /// Both, mixed; where one is missing, the other alone.
    Blend {
        /// Weight of the result, 0 to 1; the evaluation has the rest.
        result_weight: f32,
        /// From centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
}

/// What a mate is worth in pawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatePawns {
    /// As much as the largest evaluation.
    #[default]
    Limit,
    /// One pawn less and 1 / moves: the sooner, the more.
    Ordered,
}

impl MatePawns {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// An evaluation in pawns, cut off at `limit` on both sides.
    fn pawns(self, evaluation: Score, limit: f32) -> f32 {
        let (moves, sign) = match evaluation {
            Score::Centipawns(centipawns) => return (centipawns as f32 / 100.0).clamp(-limit, limit),
            Score::Mate(moves @ 1..) => (moves as f32, 1.0),
            // Mated now is as bad as mated in one.
            Score::Mate(moves) => (moves.unsigned_abs().max(1) as f32, -1.0),
        };
        sign * match self {
            Self::Limit => limit,
            Self::Ordered => (limit - 1.0 + 1.0 / moves).max(0.0),
        }
    }
}

impl Default for ValueTarget {
    fn default() -> Self {
        // Few games: trust the evaluations. Strong engines' trainers use 0 to 0.25 (docs/methods.md).
        Self::Blend { result_weight: 0.15, curve: EvaluationCurve::default() }
    }
}

/// What is known about the value of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueLabel {
    /// An engine's evaluation.
    pub evaluation: Option<Score>,
    /// The game's result.
    pub result: Option<GameResult>,
    /// Half-moves since the start of the game, which Stockfish's curve depends on.
    pub ply: u16,
}

impl ValueTarget {
    /// The target of one sample; `None` where it has no label of the wanted kind.
    pub fn wdl(self, label: ValueLabel) -> Option<Wdl> {
        let evaluation = |curve: EvaluationCurve| label.evaluation.map(|score| curve.wdl(score, label.ply));
        let result = label.result.map(result_to_wdl);
        match self {
            Self::Evaluation { curve, .. } => evaluation(curve),
            Self::Result => result,
            Self::Blend { result_weight, curve } => match (evaluation(curve), result) {
                (Some(evaluation), Some(result)) => Some(mix(evaluation, result, result_weight)),
                (only, None) | (None, only) => only,
            },
        }
    }

    /// The target of a value head of this kind. One in pawns has none but evaluations.
    pub(crate) fn of_head(self, label: ValueLabel, kind: ValueKind) -> Option<PositionValue> {
        let mut value = PositionValue::from(self.wdl(label)?);
        if let ValueKind::Pawns { limit, .. } = kind {
            let mates = if let Self::Evaluation { mates, .. } = self { mates } else { MatePawns::default() };
            value.number = mates.pawns(label.evaluation?, limit);
        }
        Some(value)
    }

    /// The name of the rule in a recipe.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Evaluation { .. } => "evaluation",
            Self::Result => "result",
            Self::Blend { .. } => "blend",
        }
    }

    /// Weight of the result in a blend; 0 where nothing is mixed.
    pub(crate) fn result_weight(self) -> f32 {
        if let Self::Blend { result_weight, .. } = self { result_weight } else { 0.0 }
    }

    /// The curve that evaluations go through, where they are used.
    pub(crate) fn curve(self) -> Option<EvaluationCurve> {
        match self {
            Self::Evaluation { curve, .. } | Self::Blend { curve, .. } => Some(curve),
            Self::Result => None,
        }
    }
}

fn result_to_wdl(result: GameResult) -> Wdl {
    match result {
        GameResult::Win => Wdl::WIN,
        GameResult::Draw => Wdl::DRAW,
        GameResult::Loss => Wdl::LOSS,
    }
}

fn mix(first: Wdl, second: Wdl, second_weight: f32) -> Wdl {
    let mix = |first: f32, second: f32| first + (second - first) * second_weight;
    Wdl {
        win: mix(first.win, second.win),
        draw: mix(first.draw, second.draw),
        loss: mix(first.loss, second.loss),
    }
}

/// The targets of a batch in plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Targets {
    /// Target probability of each legal move, laid out as [`Batch::legal_indices`].
    pub(crate) policy: Vec<f32>,
    /// Value targets, where there are any.
    pub(crate) value: Vec<Option<PositionValue>>,
}

impl Targets {
    /// The targets of a batch for a value head of this kind; the configured share of each sample's probability is spread evenly
    /// over its legal moves (arXiv 1512.00567, section 7).
    pub(crate) fn new(batch: &Batch, losses: &LossConfig, kind: ValueKind) -> Self {
        let smoothing = losses.label_smoothing;
        let mut policy = Vec::with_capacity(batch.policy.len());
        for pair in batch.legal_offsets.windows(2) {
            let given = &batch.policy[pair[0] as usize..pair[1] as usize];
            let share = smoothing / given.len() as f32;
            policy.extend(given.iter().map(|probability| probability * (1.0 - smoothing) + share));
        }
        let labels = batch.evaluations.iter().zip(&batch.results).zip(&batch.plies);
        let label = |((&evaluation, &result), &ply)| ValueLabel { evaluation, result, ply };
        let value = labels.map(|found| losses.value_target.of_head(label(found), kind)).collect();
        Self { policy, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_fall_back_to_the_label_that_exists() {
        let curve = EvaluationCurve::default();
        let target = ValueTarget::Blend { result_weight: 0.25, curve };
        let label = |evaluation, result| ValueLabel { evaluation, result, ply: 0 };
        let even = curve.wdl(Score::Centipawns(0), 0);
        let both = target.wdl(label(Some(Score::Centipawns(0)), Some(GameResult::Win))).unwrap();
        assert!((both.win - (0.75 * even.win + 0.25)).abs() < 1e-6);
        assert_eq!(target.wdl(label(Some(Score::Centipawns(0)), None)), Some(even));
        assert_eq!(target.wdl(label(None, Some(GameResult::Loss))), Some(Wdl::LOSS));
        assert_eq!(target.wdl(label(None, None)), None);
        assert_eq!(
            ValueTarget::Evaluation { curve, mates: MatePawns::Limit }
                .wdl(label(None, Some(GameResult::Win))),
            None
        );
        assert_eq!(ValueTarget::Result.wdl(label(Some(Score::Mate(1)), None)), None);
    }

    #[test]
    fn smoothing_keeps_each_sample_a_distribution() {
        let batch = Batch {
            size: 2,
            legal_offsets: vec![0, 2, 5],
            legal_indices: vec![0; 5],
            policy: vec![1.0, 0.0, 0.0, 0.5, 0.5],
            evaluations: vec![None, None],
            results: vec![None, None],
            plies: vec![0, 0],
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
