//! What the network should say: value targets from evaluations and results, policy targets over legal moves.

use chess::{Score, Wdl};
use dataset::{Batch, GameResult, evaluation_to_wdl};
use serde::{Deserialize, Serialize};

/// Where the value target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "from")]
pub enum ValueTarget {
    /// The engine's evaluation; samples without one do not train the value head.
    Evaluation,
    /// The game's result; samples without one do not train the value head.
    Result,
    /// Both, mixed; where one is missing, the other alone.
    Blend {
        /// Weight of the result, 0 to 1; the evaluation has the rest.
        result_weight: f32,
    },
}

impl Default for ValueTarget {
    fn default() -> Self {
        // Few games: trust the evaluations. Strong engines' trainers use 0 to 0.25 (docs/methods.md).
        Self::Blend { result_weight: 0.15 }
    }
}

impl ValueTarget {
    /// The target of one sample; `None` where it has no label of the wanted kind.
    pub fn wdl(self, evaluation: Option<Score>, result: Option<GameResult>) -> Option<Wdl> {
        let evaluation = evaluation.map(evaluation_to_wdl);
        let result = result.map(result_to_wdl);
        match self {
            Self::Evaluation => evaluation,
            Self::Result => result,
            Self::Blend { result_weight } => match (evaluation, result) {
                (Some(evaluation), Some(result)) => Some(mix(evaluation, result, result_weight)),
                (only, None) | (None, only) => only,
            },
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
        let labels = batch.evaluations.iter().zip(&batch.results);
        let value = labels.map(|(&evaluation, &result)| value.wdl(evaluation, result)).collect();
        Self { policy, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_fall_back_to_the_label_that_exists() {
        let target = ValueTarget::Blend { result_weight: 0.25 };
        let even = evaluation_to_wdl(Score::Centipawns(0));
        let both = target.wdl(Some(Score::Centipawns(0)), Some(GameResult::Win)).unwrap();
        assert!((both.win - (0.75 * even.win + 0.25)).abs() < 1e-6);
        assert_eq!(target.wdl(Some(Score::Centipawns(0)), None), Some(even));
        assert_eq!(target.wdl(None, Some(GameResult::Loss)), Some(Wdl::LOSS));
        assert_eq!(target.wdl(None, None), None);
        assert_eq!(ValueTarget::Evaluation.wdl(None, Some(GameResult::Win)), None);
        assert_eq!(ValueTarget::Result.wdl(Some(Score::Mate(1)), None), None);
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
