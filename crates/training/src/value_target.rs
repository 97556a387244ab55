//! Value targets from evaluations, results and search values.

use chess::{Score, Wdl};
use dataset::{Batch, EvaluationCurve, GameResult, Stage};
use network::{ValueKind, probabilities::PositionValue};
use serde::{Deserialize, Serialize};

/// Source of the value target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "from")]
pub enum ValueTarget {
    /// The engine's evaluation; samples without one do not train the value head.
    Evaluation {
        /// Curve from centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
        /// Value of a mate: `alike` counts all mates as the game's result. `ordered` and `limit` (default) apply to
        /// value heads of kind `pawns`; for other heads they use the curve, which orders mates.
        #[serde(default, skip_serializing_if = "MatePawns::is_default")]
        mates: MatePawns,
    },
    /// The game's result; samples without one do not train the value head.
    Result,
    /// The value that a search gave the position, or the evaluations smoothed along the game
    /// (`tabiya data build --smooth`); the evaluation for samples without either.
    Search {
        /// Curve from centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
    /// A mixture of evaluation and result; if one is missing, only the other.
    Blend {
        /// Weight of the result, 0 to 1; the evaluation has the rest.
        result_weight: f32,
        /// Weight of the search value within the evaluation's share, 0 to 1, for samples that have one. Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        search_weight: f32,
        /// Curve from centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
}

/// Value of a mate if evaluations are learned in pawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatePawns {
    /// In pawns, the same as the largest evaluation.
    #[default]
    Limit,
    /// In pawns, the largest evaluation minus 1, plus 1 / moves: the sooner the mate, the larger.
    Ordered,
    /// For every value head, a won or lost game; the distance to mate is ignored. Reproduces a tanh of mate
    /// scores so large that floating point loses the distance (flaw S2-k1 of Catfish).
    Alike,
}

impl MatePawns {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// An evaluation in pawns, clipped to `limit` on both sides.
    pub fn pawns(self, evaluation: Score, limit: f32) -> f32 {
        let (moves, sign) = match evaluation {
            Score::Centipawns(centipawns) => return (centipawns as f32 / 100.0).clamp(-limit, limit),
            Score::Mate(moves @ 1..) => (moves as f32, 1.0),
            // Being mated already is as bad as being mated in one.
            Score::Mate(moves) => (moves.unsigned_abs().max(1) as f32, -1.0),
        };
        sign * match self {
            Self::Limit | Self::Alike => limit,
            Self::Ordered => (limit - 1.0 + 1.0 / moves).max(0.0),
        }
    }
}

impl Default for ValueTarget {
    fn default() -> Self {
        // With few games, trust the evaluations. Trainers of strong engines use 0 to 0.25 (docs/methods.md).
        Self::Blend { result_weight: 0.15, search_weight: 0.0, curve: EvaluationCurve::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(weight: &f32) -> bool {
    *weight == 0.0
}

/// The labels for the value of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueLabel {
    /// An engine's evaluation.
    pub evaluation: Option<Score>,
    /// The game's result.
    pub result: Option<GameResult>,
    /// A search's value of the position.
    pub search: Option<Wdl>,
    /// Progress of the game, on which some curves depend.
    pub stage: Stage,
}

impl ValueLabel {
    /// The labels of a sample of a batch.
    pub fn of(batch: &Batch, sample: usize) -> Self {
        Self {
            evaluation: batch.evaluations[sample],
            result: batch.results[sample],
            search: batch.search_values[sample],
            stage: batch.stages[sample],
        }
    }
}

impl ValueLabel {
    /// The evaluation as probabilities by a curve.
    fn evaluated(self, curve: EvaluationCurve) -> Option<Wdl> {
        self.evaluation.map(|score| curve.wdl(score, self.stage))
    }
}

impl Default for ValueLabel {
    fn default() -> Self {
        Self { evaluation: None, result: None, search: None, stage: Stage::START }
    }
}

impl ValueTarget {
    /// The target of one sample; `None` if it has no label of the required kind.
    pub fn wdl(self, label: ValueLabel) -> Option<Wdl> {
        let result = label.result.map(result_to_wdl);
        match self {
            Self::Evaluation { curve, mates } => match (mates, label.evaluation) {
                (MatePawns::Alike, Some(Score::Mate(1..))) => Some(Wdl::WIN),
                (MatePawns::Alike, Some(Score::Mate(_))) => Some(Wdl::LOSS),
                _ => label.evaluated(curve),
            },
            Self::Result => result,
            Self::Search { curve } => label.search.or_else(|| label.evaluated(curve)),
            Self::Blend { result_weight, search_weight, curve } => {
                // Without a weight, a search value must not stand in for a missing evaluation either.
                let search = label.search.filter(|_| search_weight > 0.0);
                let engine = blend(label.evaluated(curve), search, search_weight);
                blend(engine, result, result_weight)
            }
        }
    }

    /// The target of a value head of this kind. A head in pawns uses only evaluations.
    pub fn of_head(self, label: ValueLabel, kind: ValueKind) -> Option<PositionValue> {
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
            Self::Search { .. } => "search",
            Self::Blend { .. } => "blend",
        }
    }

    /// Weights of the result and of the search value in a blend; 0 if nothing is mixed.
    pub(crate) fn weights(self) -> [f32; 2] {
        match self {
            Self::Blend { result_weight, search_weight, .. } => [result_weight, search_weight],
            _ => [0.0, 0.0],
        }
    }

    /// The curve from evaluations to probabilities, if the target uses evaluations.
    pub(crate) fn curve(self) -> Option<EvaluationCurve> {
        match self {
            Self::Evaluation { curve, .. } | Self::Search { curve } | Self::Blend { curve, .. } => {
                Some(curve)
            }
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

/// A mixture of two values; if one is missing, only the other.
fn blend(first: Option<Wdl>, second: Option<Wdl>, second_weight: f32) -> Option<Wdl> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first.mixed(second, second_weight)),
        (only, None) | (None, only) => only,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_fall_back_to_the_label_that_exists() {
        let curve = EvaluationCurve::default();
        let target = ValueTarget::Blend { result_weight: 0.25, search_weight: 0.0, curve };
        let label = |evaluation, result| ValueLabel { evaluation, result, ..ValueLabel::default() };
        let even = curve.wdl(Score::Centipawns(0), Stage::START);
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

    /// S2-k1: Catfish's tanh over mate scores, as one rule alongside the ordered one.
    #[test]
    fn s2_k1_mates_alike_are_results_and_ordered_mates_are_not() {
        let curve = EvaluationCurve::Logistic { half_won: 0.0, spread: 300.0 };
        let of = |mates, score| {
            let label = ValueLabel { evaluation: Some(score), ..ValueLabel::default() };
            ValueTarget::Evaluation { curve, mates }.of_head(label, ValueKind::Scalar).unwrap().number
        };
        // The original project's own formula: for every distance below thousands of moves it gives 1 in floating point.
        assert_eq!((100_000.0_f32 / 1.0).tanh(), (100_000.0_f32 / 200.0).tanh());
        for moves in [1, 5, 200] {
            assert_eq!(of(MatePawns::Alike, Score::Mate(moves)), 1.0);
            assert_eq!(of(MatePawns::Alike, Score::Mate(-moves)), -1.0);
        }
        assert_eq!(of(MatePawns::Alike, Score::Mate(0)), -1.0);
        assert!(of(MatePawns::Limit, Score::Mate(1)) > of(MatePawns::Limit, Score::Mate(5)));
        let centipawns = Score::Centipawns(150);
        assert_eq!(of(MatePawns::Alike, centipawns), of(MatePawns::Limit, centipawns));
        assert_eq!(MatePawns::Alike.pawns(Score::Mate(7), 9.0), 9.0);
    }

    #[test]
    fn search_values_replace_evaluations_as_far_as_they_are_weighted() {
        let curve = EvaluationCurve::default();
        let search = Wdl { win: 0.2, draw: 0.2, loss: 0.6 };
        let evaluation = Some(Score::Centipawns(0));
        let label = ValueLabel { evaluation, search: Some(search), ..ValueLabel::default() };
        let unsearched = ValueLabel { search: None, ..label };
        let even = curve.wdl(Score::Centipawns(0), Stage::START);
        assert_eq!(ValueTarget::Search { curve }.wdl(label), Some(search));
        assert_eq!(ValueTarget::Search { curve }.wdl(unsearched), Some(even));
        let blend = |search_weight| ValueTarget::Blend { result_weight: 0.5, search_weight, curve };
        assert_eq!(blend(0.0).wdl(label), Some(even));
        assert_eq!(blend(0.4).wdl(unsearched), Some(even));
        let won = ValueLabel { result: Some(GameResult::Win), ..label };
        let found = blend(0.4).wdl(won).unwrap();
        assert!((found.loss - 0.5 * (0.6 * even.loss + 0.4 * 0.6)).abs() < 1e-6, "{found:?}");
        assert!((found.win + found.draw + found.loss - 1.0).abs() < 1e-6);
        let only_search = ValueLabel { evaluation: None, ..label };
        assert_eq!(blend(0.0).wdl(only_search), None, "what has no weight is not a label");
    }
}
