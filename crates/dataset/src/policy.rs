//! A source's data about several moves of one position, and the policy target computed from them.

use chess::Score;
use serde::{Deserialize, Serialize};

use crate::{evaluation::evaluation_to_wdl, packed_move::PackedMove};

/// Labels of some of the moves of a position, best first. The labels are stored as the source gives them, not as
/// probabilities, so that a training run chooses the temperature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyLabel {
    /// Only the best move is known.
    #[default]
    BestMove,
    /// An engine's evaluations of the moves (several principal variations), seen by the side to move.
    Scores(Box<[(PackedMove, Score)]>),
    /// Number of times that a tree search visited the moves, or parts of 10,000 of a policy without a search.
    Visits(Box<[(PackedMove, u32)]>),
}

/// The default of [`PolicyLabel::probabilities`]'s temperature: a move that loses 5 % of expected score (about 22
/// centipawns in an even position) is e times less likely.
pub const POLICY_TEMPERATURE: f32 = 0.05;

impl PolicyLabel {
    /// No policy label. Samples must store a legal move, so `move_in_its_place` stands in.
    #[must_use]
    pub fn unknown(move_in_its_place: PackedMove) -> Self {
        Self::Visits([(move_in_its_place, 0)].into())
    }

    /// True if there is no policy label (no move was visited). Such samples are left out of the policy loss.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Visits(visits) if visits.iter().all(|&(_, visits)| visits == 0))
    }

    /// The labels of the same moves on a board whose files are reversed.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        match self {
            Self::BestMove => Self::BestMove,
            Self::Scores(scores) => {
                Self::Scores(scores.iter().map(|&(packed, score)| (packed.mirrored(), score)).collect())
            }
            Self::Visits(visits) => {
                Self::Visits(visits.iter().map(|&(packed, visits)| (packed.mirrored(), visits)).collect())
            }
        }
    }

    /// A probability for each labelled move; they add up to one. Empty if only the best move is known,
    /// or no move was visited.
    ///
    /// Evaluations become p ~ exp((s - best s) / temperature), s being the expected score between 0 and 1 that
    /// [`evaluation_to_wdl`] gives; at temperature zero the first of the best moves gets everything. Visits are used as
    /// shares, unchanged.
    pub fn probabilities(&self, temperature: f32) -> Vec<(PackedMove, f32)> {
        // Expected scores instead of centipawns in the exponent: 50 centipawns decide an even position and mean nothing in a won one.
        let mut weights: Vec<(PackedMove, f32)> = match self {
            Self::BestMove => return Vec::new(),
            Self::Scores(scores) => {
                let expected: Vec<(PackedMove, f32)> = scores
                    .iter()
                    .map(|&(packed, score)| (packed, evaluation_to_wdl(score).expected_score()))
                    .collect();
                soften(&expected, temperature)
            }
            Self::Visits(visits) => visits.iter().map(|&(packed, visits)| (packed, visits as f32)).collect(),
        };
        let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        for (_, weight) in &mut weights {
            *weight /= sum;
        }
        weights
    }
}

/// Weights of moves by their expected scores, not yet adding up to one.
fn soften(scores: &[(PackedMove, f32)], temperature: f32) -> Vec<(PackedMove, f32)> {
    let best = scores.iter().map(|(_, score)| *score).fold(f32::NEG_INFINITY, f32::max);
    if temperature <= 0.0 {
        let mut weights: Vec<(PackedMove, f32)> = scores.iter().map(|&(packed, _)| (packed, 0.0)).collect();
        if let Some(first) = scores.iter().position(|(_, score)| *score == best) {
            weights[first].1 = 1.0;
        }
        return weights;
    }
    // The best score becomes the exponent 0, so that no temperature overflows.
    scores.iter().map(|&(packed, score)| (packed, ((score - best) / temperature).exp())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(scores: &[Score]) -> PolicyLabel {
        PolicyLabel::Scores(scores.iter().zip(1..).map(|(&score, bits)| (PackedMove(bits), score)).collect())
    }

    fn shares(label: &PolicyLabel, temperature: f32) -> Vec<f32> {
        label.probabilities(temperature).into_iter().map(|(_, share)| share).collect()
    }

    #[test]
    fn evaluations_become_a_softmax_of_expected_scores() {
        let label = scores(&[Score::Centipawns(100), Score::Centipawns(0), Score::Mate(-3)]);
        // 100 centipawns: win 0.4975, loss 0.995 / (1 + e^(200/60)) = 0.034275; mate: loss 0.996 + 0.004 * 10 / 13.
        let expected: [f32; 3] = [0.5 + (0.4975 - 0.034_275) / 2.0, 0.5, 0.5 - 0.999_077 / 2.0];
        let powers = expected.map(|score| ((score - expected[0]) / 0.2).exp());
        let sum: f32 = powers.iter().sum();
        for (found, power) in shares(&label, 0.2).iter().zip(powers) {
            assert!((found - power / sum).abs() < 1e-4, "{found} for {}", power / sum);
        }
    }

    #[test]
    fn temperature_zero_is_the_first_of_the_best_moves() {
        let label = scores(&[Score::Centipawns(10), Score::Mate(2), Score::Mate(2)]);
        assert_eq!(shares(&label, 0.0), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn probabilities_add_up_however_small_the_temperature() {
        let label = scores(&[Score::Mate(1), Score::Centipawns(-9000), Score::Mate(-1)]);
        for temperature in [1e-6, 0.01, 1.0, 100.0] {
            let sum: f32 = shares(&label, temperature).iter().sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum} at {temperature}");
        }
    }

    #[test]
    fn visits_are_shares_at_every_temperature() {
        let label = PolicyLabel::Visits([(PackedMove(1), 300), (PackedMove(2), 100)].into());
        assert_eq!(shares(&label, 0.0), [0.75, 0.25]);
        assert_eq!(shares(&label, 1.0), [0.75, 0.25]);
        assert!(PolicyLabel::BestMove.probabilities(1.0).is_empty());
    }
}
