//! A network that takes ratings as input, told one rating for all positions.

use std::sync::Arc;

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, PlayerRatings};

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
        let ratings = PlayerRatings::both(self.rating);
        let games: Vec<Game> =
            batch.iter().map(|request| request.game.clone().with_ratings(ratings)).collect();
        let requests = games.iter().zip(batch);
        let requests: Vec<EvaluationRequest<'_>> = requests
            .map(|(game, request)| EvaluationRequest { game, legal_moves: request.legal_moves })
            .collect();
        self.inner.evaluate(&requests)
    }

    fn history(&self) -> usize {
        self.inner.history()
    }

    fn preferred_batch(&self) -> usize {
        self.inner.preferred_batch()
    }
}
