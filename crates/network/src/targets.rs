//! What the network should answer: value targets from evaluations and results, policy targets over legal moves.

use chess::{Score, Wdl};
use dataset::{Batch, EvaluationCurve, GameResult, Stage};
use serde::{Deserialize, Serialize};

/// Where the value target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "from")]
pub enum ValueTarget {
    /// The engine's evaluation; samples without one do not train the value head.
    Evaluation {
        /// From centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
    /// The game's result; samples without one do not train the value head.
    Result,
    /// What a search found the position to be worth, or the evaluations smoothed along the game (`tabiya data build --smooth`);
    /// where there is none, the evaluation.
    Search {
        /// From centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
    /// Evaluation and result, mixed; where one is missing, the other alone.
    Blend {
        /// Weight of the result, 0 to 1; the evaluation has the rest.
        result_weight: f32,
        /// Weight of the search value in that rest, 0 to 1, where there is one. Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        search_weight: f32,
        /// From centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
}

impl Default for ValueTarget {
    fn default() -> Self {
        // Few games: trust the evaluations. Strong engines' trainers use 0 to 0.25 (docs/methods.md).
        Self::Blend { result_weight: 0.15, search_weight: 0.0, curve: EvaluationCurve::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(weight: &f32) -> bool {
    *weight == 0.0
}

/// What is known about the value of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueLabel {
    /// An engine's evaluation.
    pub evaluation: Option<Score>,
    /// The game's result.
    pub result: Option<GameResult>,
    /// What a search found the position to be worth.
    pub search: Option<Wdl>,
    /// How far the game has come, which some curves depend on.
    pub stage: Stage,
}

impl Default for ValueLabel {
    fn default() -> Self {
        Self { evaluation: None, result: None, search: None, stage: Stage::START }
    }
}

impl ValueTarget {
    /// The target of one sample; `None` where it has no label of the wanted kind.
    pub fn wdl(self, label: ValueLabel) -> Option<Wdl> {
        let evaluation = |curve: EvaluationCurve| label.evaluation.map(|score| curve.wdl(score, label.stage));
        let result = label.result.map(result_to_wdl);
        match self {
            Self::Evaluation { curve } => evaluation(curve),
            Self::Result => result,
            Self::Search { curve } => label.search.or_else(|| evaluation(curve)),
            Self::Blend { result_weight, search_weight, curve } => {
                let engine =
                    blend(evaluation(curve), label.search.filter(|_| search_weight > 0.0), search_weight);
                blend(engine, result, result_weight)
            }
        }
    }

    /// Weights of the result and of the search value in a blend; 0 where nothing is mixed.
    pub(crate) fn weights(self) -> [f32; 2] {
        match self {
            Self::Blend { result_weight, search_weight, .. } => [result_weight, search_weight],
            _ => [0.0, 0.0],
        }
    }

    /// The curve that evaluations go through, where they are used.
    pub(crate) fn curve(self) -> Option<EvaluationCurve> {
        match self {
            Self::Evaluation { curve } | Self::Search { curve } | Self::Blend { curve, .. } => Some(curve),
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

/// A mixture of two values; where one is missing, the other alone.
fn blend(first: Option<Wdl>, second: Option<Wdl>, second_weight: f32) -> Option<Wdl> {
    match (first, second) {
        (Some(first), Some(second)) => Some(mix(first, second, second_weight)),
        (only, None) | (None, only) => only,
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
    pub(crate) value: Vec<Option<Wdl>>,
}

impl Targets {
    /// The targets of a batch; `smoothing` of each sample's probability is spread evenly over its legal moves
    /// (arXiv 1512.00567, section 7).
    pub(crate) fn new(batch: &Batch, smoothing: f32, value: ValueTarget) -> Self {
        let mut policy = Vec::with_capacity(batch.policy.len());
        for pair in batch.legal_offsets.windows(2) {
            let given = &batch.policy[pair[0] as usize..pair[1] as usize];
            let share = smoothing / given.len() as f32;
            policy.extend(given.iter().map(|probability| probability * (1.0 - smoothing) + share));
        }
        let label = |sample: usize| ValueLabel {
            evaluation: batch.evaluations[sample],
            result: batch.results[sample],
            search: batch.search_values[sample],
            stage: batch.stages[sample],
        };
        let value = (0..batch.size).map(|sample| value.wdl(label(sample))).collect();
        Self { policy, value }
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
        assert_eq!(ValueTarget::Evaluation { curve }.wdl(label(None, Some(GameResult::Win))), None);
        assert_eq!(ValueTarget::Result.wdl(label(Some(Score::Mate(1)), None)), None);
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
        assert_eq!(blend(0.0).wdl(only_search), None, "what has no weight is no label");
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
            search_values: vec![None, None],
            stages: vec![Stage::START; 2],
            ..Batch::default()
        };
        let targets = Targets::new(&batch, 0.1, ValueTarget::default());
        let expected = [0.95, 0.05, 0.1 / 3.0, 0.45 + 0.1 / 3.0, 0.45 + 0.1 / 3.0];
        assert_eq!(targets.policy.len(), expected.len());
        for (found, expected) in targets.policy.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{:?}", targets.policy);
        }
    }
}
