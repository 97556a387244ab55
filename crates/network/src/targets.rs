//! What the network should say: value targets from evaluations and results, policy targets over legal moves.

use chess::{Score, Wdl};
use dataset::{Batch, GameResult};
use serde::{Deserialize, Serialize};

/// Centipawns at which a side wins half its games, as used in [`evaluation_to_wdl`].
const HALF_WON: f32 = 100.0;

/// Width in centipawns of the transition, as used in [`evaluation_to_wdl`].
const SPREAD: f32 = 60.0;

/// The largest winning probability that a centipawn score can have: forced mates lie above it.
const LARGEST_CENTIPAWN_WIN: f32 = 0.995;

/// Winning probability of a mate in a great many moves; nearer mates lie between it and one.
const DISTANT_MATE_WIN: f32 = 0.996;

/// Mates in this many moves lie halfway between [`DISTANT_MATE_WIN`] and one.
const HALFWAY_MATE: f32 = 10.0;

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

/// Win, draw and loss probability of an engine's evaluation.
///
/// Centipawns go through two logistic curves, win = f(v) and loss = f(-v) with f(v) = 0.995 / (1 + e^((100 - v) / 60)).
/// Unlike Stockfish's own model, which describes long games between equal engines, they keep a gradient between small
/// advantages and in won positions. Mates are ordered: the nearer, the better, and all of them above any centipawns.
pub fn evaluation_to_wdl(evaluation: Score) -> Wdl {
    let won = |moves: i32| {
        let moves = moves as f32;
        DISTANT_MATE_WIN + (1.0 - DISTANT_MATE_WIN) * HALFWAY_MATE / (HALFWAY_MATE + moves)
    };
    match evaluation {
        Score::Centipawns(centipawns) => {
            let curve = |value: f32| LARGEST_CENTIPAWN_WIN / (1.0 + ((HALF_WON - value) / SPREAD).exp());
            let (win, loss) = (curve(centipawns as f32), curve(-(centipawns as f32)));
            Wdl { win, draw: 1.0 - win - loss, loss }
        }
        Score::Mate(moves) if moves > 0 => {
            let win = won(moves);
            Wdl { win, draw: 1.0 - win, loss: 0.0 }
        }
        Score::Mate(moves) => {
            let loss = won(moves.saturating_neg());
            Wdl { win: 0.0, draw: 1.0 - loss, loss }
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
    fn every_better_evaluation_is_a_better_target() {
        let mut ordered: Vec<Score> = (1..=40).rev().map(|moves| Score::Mate(-moves)).rev().collect();
        ordered.sort_by_key(|score| if let Score::Mate(moves) = score { -moves } else { 0 });
        let mut ladder = vec![Score::Mate(0)];
        ladder.extend(ordered);
        ladder.extend([-900, -300, -50, 0, 50, 300, 900].map(Score::Centipawns));
        ladder.extend((1..=40).rev().map(Score::Mate));
        for pair in ladder.windows(2) {
            let (worse, better) = (evaluation_to_wdl(pair[0]).value(), evaluation_to_wdl(pair[1]).value());
            assert!(worse < better, "{:?} -> {worse}, {:?} -> {better}", pair[0], pair[1]);
        }
    }

    #[test]
    fn evaluations_become_probabilities_and_mirror_each_other() {
        for score in [Score::Centipawns(0), Score::Centipawns(37), Score::Centipawns(-5000), Score::Mate(3)] {
            let wdl = evaluation_to_wdl(score);
            assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-6, "{wdl:?}");
            assert!(wdl.win >= 0.0 && wdl.draw >= 0.0 && wdl.loss >= 0.0, "{wdl:?}");
            let mirrored = evaluation_to_wdl(score.flipped()).flipped();
            assert!((mirrored.win - wdl.win).abs() < 1e-6 && (mirrored.loss - wdl.loss).abs() < 1e-6);
        }
        // At 100 centipawns the side wins half its games.
        assert!((evaluation_to_wdl(Score::Centipawns(100)).win - 0.4975).abs() < 1e-4);
    }

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
