//! What the network should answer: value targets from evaluations and results, policy targets over legal moves.

use chess::{Score, Wdl};
use dataset::{Batch, EvaluationCurve, GameResult};
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
    /// Both, mixed; where one is missing, the other alone.
    Blend {
        /// Weight of the result, 0 to 1; the evaluation has the rest.
        result_weight: f32,
        /// From centipawns to win, draw and loss. Default: logistic.
        #[serde(default)]
        curve: EvaluationCurve,
    },
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
            Self::Evaluation { curve } => evaluation(curve),
            Self::Result => result,
            Self::Blend { result_weight, curve } => match (evaluation(curve), result) {
                (Some(evaluation), Some(result)) => Some(mix(evaluation, result, result_weight)),
                (only, None) | (None, only) => only,
            },
        }
    }

    /// Weight of the result in a blend; 0 where nothing is mixed.
    pub(crate) fn result_weight(self) -> f32 {
        if let Self::Blend { result_weight, .. } = self { result_weight } else { 0.0 }
    }

    /// The curve that evaluations go through, where they are used.
    pub(crate) fn curve(self) -> Option<EvaluationCurve> {
        match self {
            Self::Evaluation { curve } | Self::Blend { curve, .. } => Some(curve),
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
        let labels = batch.evaluations.iter().zip(&batch.results).zip(&batch.plies);
        let label = |((&evaluation, &result), &ply)| ValueLabel { evaluation, result, ply };
        let value = labels.map(|found| value.wdl(label(found))).collect();
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
        assert_eq!(ValueTarget::Evaluation { curve }.wdl(label(None, Some(GameResult::Win))), None);
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
        let targets = Targets::new(&batch, 0.1, ValueTarget::default());
        let expected = [0.95, 0.05, 0.1 / 3.0, 0.45 + 0.1 / 3.0, 0.45 + 0.1 / 3.0];
        assert_eq!(targets.policy.len(), expected.len());
        for (found, expected) in targets.policy.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{:?}", targets.policy);
        }
    }
}
