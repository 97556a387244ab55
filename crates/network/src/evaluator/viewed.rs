//! Networks whose values are from the point of view of White, or of the side that has just moved.

use std::sync::Arc;

use chess::{
    Color, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, encoding::InputEncoding,
};

/// Wraps an evaluator as searches expect it: values are flipped to the point of view of the side to move if the input
/// encoding has a different viewer.
pub(super) fn for_the_mover(
    input: &'static dyn InputEncoding,
    evaluator: Arc<dyn Evaluator>,
) -> Arc<dyn Evaluator> {
    let is_movers = [Color::White, Color::Black].into_iter().all(|turn| input.value_viewer(turn) == turn);
    if is_movers { evaluator } else { Arc::new(Viewed { input, evaluator }) }
}

struct Viewed {
    input: &'static dyn InputEncoding,
    evaluator: Arc<dyn Evaluator>,
}

impl Evaluator for Viewed {
    fn describe(&self) -> String {
        self.evaluator.describe()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = self.evaluator.evaluate(batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            let turn = request.game.turn();
            if self.input.value_viewer(turn) != turn {
                answer.wdl = answer.wdl.flipped();
            }
        }
        Ok(answers)
    }

    fn heads(&self) -> Heads {
        self.evaluator.heads()
    }

    fn history(&self) -> usize {
        self.evaluator.history()
    }

    fn preferred_batch(&self) -> usize {
        self.evaluator.preferred_batch()
    }
}

#[cfg(test)]
mod tests {
    use chess::{Game, MaterialEvaluator, Wdl, encoding::input::input_encoding, laws};

    use super::*;

    /// An evaluator for which the side of the value's viewer, according to `input`, always loses.
    struct AlwaysLost;

    impl Evaluator for AlwaysLost {
        fn describe(&self) -> String {
            "lost".into()
        }

        fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let priors = |request: &EvaluationRequest<'_>| {
                vec![1.0 / request.legal_moves.len() as f32; request.legal_moves.len()]
            };
            let lost = |request| Evaluation { wdl: Wdl::LOSS, priors: priors(request), moves_left: None };
            Ok(batch.iter().map(lost).collect())
        }
    }

    /// The values of S1, S3 and S5 are from White's point of view; Catfish's are from the point of view of
    /// the side that moved last.
    #[test]
    fn s1_k5_values_are_turned_to_the_side_to_move_once() {
        let white = Game::default();
        let mut black = Game::default();
        black.play_uci("e2e4").unwrap();
        for (name, expected) in [
            ("tabiya", [Wdl::LOSS, Wdl::LOSS]),
            ("aichess-13", [Wdl::LOSS, Wdl::WIN]),
            ("catfish-12", [Wdl::WIN, Wdl::WIN]),
        ] {
            let evaluator = for_the_mover(input_encoding(name).unwrap(), Arc::new(AlwaysLost));
            for (game, expected) in [&white, &black].into_iter().zip(expected) {
                let moves = game.legal_moves();
                let request = EvaluationRequest { game, legal_moves: &moves };
                assert_eq!(evaluator.evaluate(&[request]).unwrap()[0].wdl, expected, "{name}");
            }
        }
    }

    /// Material from White's point of view: the output of a network that learned White's results.
    struct WhitesMaterial;

    impl Evaluator for WhitesMaterial {
        fn describe(&self) -> String {
            "material, in White's view".into()
        }

        fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let mut answers = MaterialEvaluator.evaluate(batch)?;
            for (answer, request) in answers.iter_mut().zip(batch) {
                if request.game.turn().is_black() {
                    answer.wdl = answer.wdl.flipped();
                }
            }
            Ok(answers)
        }
    }

    #[test]
    fn a_turned_view_obeys_the_laws_and_sees_both_sides_alike() {
        let games = laws::sample_games(3, 30);
        let evaluator = for_the_mover(input_encoding("aichess-13").unwrap(), Arc::new(WhitesMaterial));
        laws::evaluator::check(&*evaluator, &games, 1e-6);
        laws::evaluator::sees_sides_alike(&*evaluator, &games, 1e-6);
        laws::evaluator::counts_a_queen(&*evaluator);
    }

    #[test]
    fn what_is_the_movers_already_is_left_as_it_is() {
        let evaluator = for_the_mover(input_encoding("tabiya").unwrap(), Arc::new(MaterialEvaluator));
        assert_eq!((evaluator.history(), evaluator.describe()), (1, MaterialEvaluator.describe()));
    }
}
