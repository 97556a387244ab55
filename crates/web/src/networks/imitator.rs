//! A network that takes ratings as input, conditioned on one rating.

use std::sync::Arc;

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Heads, PlayerRatings};

/// The evaluator of games between players of one rating.
pub(super) struct Imitator {
    inner: Arc<dyn Evaluator>,
    rating: u16,
}

impl Imitator {
    pub(super) fn new(inner: Arc<dyn Evaluator>, rating: u16) -> Self {
        Self { inner, rating }
    }
}

impl Evaluator for Imitator {
    fn describe(&self) -> String {
        format!("{} for players rated {}", self.inner.describe(), self.rating)
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        // Both players get the rating: people are paired with opponents of about their own strength, so games of two equal players are
        // what such networks learn most from. Ratings that a game carries, such as those of a game that is analysed, are replaced.
        let ratings = PlayerRatings::both(self.rating);
        let games: Vec<Game> =
            batch.iter().map(|request| request.game.clone().with_ratings(ratings)).collect();
        let requests = games.iter().zip(batch);
        let requests: Vec<EvaluationRequest<'_>> = requests
            .map(|(game, request)| EvaluationRequest { game, legal_moves: request.legal_moves })
            .collect();
        self.inner.evaluate(&requests)
    }

    fn heads(&self) -> Heads {
        self.inner.heads()
    }

    fn history(&self) -> usize {
        self.inner.history()
    }

    fn preferred_batch(&self) -> usize {
        self.inner.preferred_batch()
    }
}

#[cfg(test)]
mod tests {
    use chess::{MaterialEvaluator, UniformEvaluator, laws};

    use super::*;

    /// A test double that depends on the ratings: a certain win if the mover has 1500, otherwise a certain
    /// loss.
    struct ByRating;

    impl Evaluator for ByRating {
        fn describe(&self) -> String {
            "by rating".into()
        }

        fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let mut answers = UniformEvaluator.evaluate(batch)?;
            for (answer, request) in answers.iter_mut().zip(batch) {
                let is_told = request.game.ratings() == PlayerRatings::both(1500);
                answer.wdl = if is_told { chess::Wdl::WIN } else { chess::Wdl::LOSS };
            }
            Ok(answers)
        }
    }

    #[test]
    fn it_is_an_evaluator_that_tells_its_rating_whatever_those_of_the_game_are() {
        let games = laws::sample_games(5, 30);
        let material = Imitator::new(Arc::new(MaterialEvaluator), 1500);
        let by_rating = Imitator::new(Arc::new(ByRating), 1500);
        for imitator in [&material, &by_rating] {
            laws::evaluator::check(imitator, &games, 0.0);
            laws::evaluator::sees_sides_alike(imitator, &games, 0.0);
        }
        let start = EvaluationRequest { game: &games[0], legal_moves: &games[0].legal_moves() };
        assert_eq!(by_rating.evaluate(&[start]).unwrap()[0].wdl, chess::Wdl::WIN);
    }
}
