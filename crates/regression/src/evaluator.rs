//! Learners as an evaluator that every search can use.

use std::sync::Arc;

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Heads, Move, Wdl};
use dataset::{EvaluationCurve, Stage};

use crate::{
    recipe::Combination,
    trained::{TrainedEnsemble, TrainedLearner},
};

/// Plays an ensemble, alone or mixed with its network.
///
/// The value is the weighted mean of the learners in pawns, from the point of view of the side to move. Pawns are converted to
/// probabilities with the curve of training targets, as for a network. Priors are those of the network. Without a network they
/// are equal, or the learners' votes.
pub struct RegressionEvaluator {
    ensemble: TrainedEnsemble,
    /// The network of the blend, with its share.
    network: Option<(Arc<dyn Evaluator>, f32)>,
}

impl RegressionEvaluator {
    /// Creates an evaluator; `network` is the opened network of [`TrainedEnsemble::blend`], and has no effect without a
    /// blend.
    pub fn new(ensemble: TrainedEnsemble, network: Option<Arc<dyn Evaluator>>) -> Self {
        let share = ensemble.blend.as_ref().map(|blend| blend.share);
        Self { network: network.zip(share), ensemble }
    }

    /// Pawns for the side to move.
    fn pawns(&self, game: &Game) -> f32 {
        let features = self.ensemble.features;
        features.seen(game, self.ensemble.predict(&features.of(game)))
    }

    /// For each move, the total weight of the learners that would play it.
    ///
    /// # Shapes
    /// `moves` `[M]` -> `[M]`, which add up to one
    fn votes(&self, game: &Game, moves: &[Move]) -> Vec<f32> {
        let children: Vec<Child> = moves.iter().map(|chess_move| self.child(game, *chess_move)).collect();
        let mut votes = vec![0.0; moves.len()];
        for learner in self.ensemble.learners.iter().filter(|learner| learner.weight > 0.0) {
            let values: Vec<f32> = children.iter().map(|child| child.value(learner)).collect();
            let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            // Equal moves share a vote, because their order must not matter.
            let favourites = values.iter().filter(|value| **value == most).count();
            for (vote, value) in votes.iter_mut().zip(&values) {
                if *value == most {
                    *vote += learner.weight / favourites as f32;
                }
            }
        }
        votes
    }

    fn child(&self, game: &Game, chess_move: Move) -> Child {
        // Only the position: repetitions are handled by the search.
        let mut after = game.tail(1);
        after.play_unchecked(chess_move);
        if let Some(outcome) = after.outcome() {
            return Child::Over(if outcome.winner.is_some() { f32::MAX } else { 0.0 });
        }
        let features = self.ensemble.features;
        Child::Goes { row: features.of(&after), is_movers: features.viewer(after.turn()) == game.turn() }
    }

    fn evaluation(&self, request: &EvaluationRequest<'_>, network: Option<Evaluation>) -> Evaluation {
        let own = self.pawns(request.game);
        let pawns = match (&network, &self.network) {
            (Some(answer), Some((_, share))) => {
                share * pawns_of(answer.wdl, self.ensemble.limit) + (1.0 - share) * own
            }
            _ => own,
        };
        let count = request.legal_moves.len();
        let (priors, moves_left) = match (network, self.ensemble.combination) {
            (_, Combination::Vote) => (self.votes(request.game, request.legal_moves), None),
            (Some(answer), Combination::Mean) => (answer.priors, answer.moves_left),
            (None, Combination::Mean) => (vec![1.0 / count as f32; count], None),
        };
        Evaluation { wdl: wdl_of(pawns), priors, moves_left }
    }
}

/// A position after a move of the side that chooses.
enum Child {
    /// The game is over; pawns for that side, where a mate is worth more than any other value.
    Over(f32),
    Goes {
        row: Vec<f32>,
        /// True if the row is from the point of view of the side that chooses.
        is_movers: bool,
    },
}

impl Child {
    /// Pawns for the side that chooses.
    fn value(&self, learner: &TrainedLearner) -> f32 {
        match self {
            Self::Over(pawns) => *pawns,
            Self::Goes { row, is_movers: true } => learner.model.predict(row),
            Self::Goes { row, is_movers: false } => -learner.model.predict(row),
        }
    }
}

/// Win, draw and loss for an advantage in pawns.
fn wdl_of(pawns: f32) -> Wdl {
    EvaluationCurve::default().wdl_of_centipawns(100.0 * pawns, Stage::START)
}

/// Number of halvings of the range in which an advantage is searched: far below a hundredth of a pawn.
const HALVINGS: usize = 24;

/// The advantage in pawns with this expected score, within the limit: the inverse of [`wdl_of`], which increases with the
/// advantage.
pub(crate) fn pawns_of(wdl: Wdl, limit: f32) -> f32 {
    let (mut low, mut high) = (-limit, limit);
    for _ in 0..HALVINGS {
        let middle = f32::midpoint(low, high);
        if wdl_of(middle).value() < wdl.value() {
            low = middle;
        } else {
            high = middle;
        }
    }
    f32::midpoint(low, high)
}

impl Evaluator for RegressionEvaluator {
    fn describe(&self) -> String {
        let learners = self.ensemble.learners.iter();
        let parts: Vec<String> = learners
            .filter(|learner| learner.weight > 0.0)
            .map(|learner| format!("{:.2} {}", learner.weight, learner.name))
            .collect();
        let network =
            self.network.as_ref().map(|(network, share)| format!(", {share:.2} of {}", network.describe()));
        let name = &self.ensemble.provenance.name;
        format!(
            "{name}: {} on {}{}",
            parts.join(" + "),
            self.ensemble.features.input(),
            network.unwrap_or_default()
        )
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answers = match &self.network {
            Some((network, _)) => network.evaluate(batch)?.into_iter().map(Some).collect(),
            None => vec![None; batch.len()],
        };
        Ok(batch.iter().zip(answers).map(|(request, answer)| self.evaluation(request, answer)).collect())
    }

    /// Votes are a policy; a mean has its network's policy, if any.
    fn heads(&self) -> Heads {
        let network = self.network.as_ref().is_some_and(|(network, _)| network.heads().policy);
        Heads { policy: network || self.ensemble.combination == Combination::Vote, value: true }
    }

    fn history(&self) -> usize {
        let network = self.network.as_ref().map_or(1, |(network, _)| network.history());
        network.max(self.ensemble.features.history())
    }

    fn preferred_batch(&self) -> usize {
        self.network.as_ref().map_or(1, |(network, _)| network.preferred_batch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_become_probabilities_and_pawns_again() {
        for pawns in [-8.5_f32, -1.0, -0.25, 0.0, 0.1, 2.0, 8.5] {
            let found = pawns_of(wdl_of(pawns), 9.0);
            assert!((found - pawns).abs() < 0.05, "{pawns} {found}");
        }
        assert!(
            (pawns_of(Wdl::WIN, 9.0) - 9.0).abs() < 1e-3 && (pawns_of(Wdl::LOSS, 9.0) + 9.0).abs() < 1e-3
        );
    }
}
