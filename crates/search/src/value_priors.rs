//! Priors from values, for evaluators that have no policy: a search over them would otherwise try all moves alike.

use std::sync::Arc;

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, Wdl};

use crate::{
    evaluate::{PositionAfter, evaluate, values},
    tunables::tunables,
};

tunables! {
    /// Source of the priors.
    ValuePriorOptions

    "ValuePriors" temperature: f32 = 0.0 in 0.0, 10.0;
    "Temperature of a softmax over the values (-1 to 1) of the positions after each move, which replaces the evaluator's priors at the cost of one evaluation for each legal move of a position that is visited twice; 0 keeps the evaluator's priors."
}

/// Replaces the priors of an evaluator by a softmax over the values of the positions after the moves:
/// COGS188's "policy priors" for a network without a policy. Finished games have the value of their result.
struct ValuePriors {
    inner: Arc<dyn Evaluator>,
    temperature: f32,
}

impl ValuePriors {
    /// # Shapes
    /// `legal_moves` `[M]` -> `[M]`, which add up to one
    fn priors(&self, request: &EvaluationRequest<'_>) -> Result<Vec<f32>, EvaluatorError> {
        let mut worths = vec![0.0; request.legal_moves.len()];
        let mut open = Vec::new();
        for (place, &chess_move) in request.legal_moves.iter().enumerate() {
            let after = request.game.after(chess_move);
            if let Some(outcome) = after.outcome() {
                // The winner is the side that moved last.
                worths[place] = if outcome.winner.is_some() { 1.0 } else { 0.0 };
            } else {
                open.push(PositionAfter::new(place, after));
            }
        }
        let requests: Vec<EvaluationRequest<'_>> = open.iter().map(PositionAfter::request).collect();
        let answers = values(self.inner.as_ref(), &requests)?;
        for (position, wdl) in open.iter().zip(answers) {
            worths[position.place] = wdl.flipped().value();
        }
        let best = worths.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> =
            worths.iter().map(|worth| ((worth - best) / self.temperature).exp()).collect();
        let sum: f32 = weights.iter().sum();
        Ok(weights.into_iter().map(|weight| weight / sum).collect())
    }
}

impl Evaluator for ValuePriors {
    fn describe(&self) -> String {
        format!("{}, priors from values at temperature {}", self.inner.describe(), self.temperature)
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = evaluate(self.inner.as_ref(), batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            answer.priors = self.priors(request)?;
        }
        Ok(answers)
    }

    fn heads(&self) -> Heads {
        Heads { policy: true, ..self.inner.heads() }
    }

    fn values(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Wdl>, EvaluatorError> {
        self.inner.values(batch)
    }

    /// Priors need the value of the position after each move.
    fn has_costly_priors(&self) -> bool {
        true
    }

    // Repetitions depend on the whole game, so the default of `history` holds.

    fn preferred_batch(&self) -> usize {
        self.inner.preferred_batch()
    }
}

impl ValuePriorOptions {
    /// The evaluator, with priors from its values if the options require them.
    pub(crate) fn over(&self, evaluator: &Arc<dyn Evaluator>) -> Arc<dyn Evaluator> {
        let (inner, temperature) = (Arc::clone(evaluator), self.temperature);
        if temperature > 0.0 { Arc::new(ValuePriors { inner, temperature }) } else { inner }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use chess::{
        CastlingMode, Game, Limits, MaterialEvaluator, Move, Search, SearchOptions, StopSignal, laws,
        parse_san,
    };

    use super::*;
    use crate::{evaluate::evaluate_one, options::parse, search_kind};

    fn priors(fen: &str, temperature: f32) -> (Vec<Move>, Vec<f32>, Game) {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let moves: Vec<Move> = game.legal_moves().into_iter().collect();
        let evaluator = ValuePriors { inner: Arc::new(MaterialEvaluator), temperature };
        let priors = evaluate_one(&evaluator, &game, &moves).unwrap().priors;
        (moves, priors, game)
    }

    #[test]
    fn it_is_an_evaluator() {
        let evaluator = ValuePriors { inner: Arc::new(MaterialEvaluator), temperature: 0.3 };
        let games = laws::games::sample_games(5, 15);
        laws::evaluator::check(&evaluator, &games, 1e-6);
        laws::evaluator::sees_sides_alike(&evaluator, &games, 1e-6);
        laws::evaluator::counts_a_queen(&evaluator);
    }

    #[test]
    fn priors_are_a_softmax_of_the_values_after_the_moves() {
        // A rook takes a knight or does not.
        let (moves, priors, game) = priors("4k3/8/8/8/8/8/8/R1n1K3 w - - 0 1", 0.5);
        let value = |san: &str| {
            let mut after = game.clone();
            after.play(parse_san(game.position(), san).unwrap()).unwrap();
            evaluate_one(&MaterialEvaluator, &after, &after.legal_moves()).unwrap().wdl.flipped().value()
        };
        let of = |san: &str| {
            let chess_move = parse_san(game.position(), san).unwrap();
            priors[moves.iter().position(|&known| known == chess_move).unwrap()]
        };
        let ratio = ((value("Rxc1") - value("Ra2")) / 0.5).exp();
        assert!(ratio > 1.0 && (of("Rxc1") / of("Ra2") - ratio).abs() < 1e-5, "{priors:?}");
    }

    #[test]
    fn the_rules_decide_what_they_can() {
        // Qc8 mates, Qc7 is stalemate; the balance of material is the same after all moves.
        let (moves, priors, game) = priors("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", 0.1);
        let of = |san: &str| {
            let chess_move = parse_san(game.position(), san).unwrap();
            priors[moves.iter().position(|&known| known == chess_move).unwrap()]
        };
        assert!(of("Qc8#") > of("Qc2") && of("Qc2") > of("Qc7"), "{priors:?}");
    }

    /// Material, counting evaluated positions.
    struct Counting(AtomicU64);

    impl Evaluator for Counting {
        fn describe(&self) -> String {
            "counting".to_owned()
        }

        fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
            self.0.fetch_add(batch.len() as u64, Ordering::Relaxed);
            MaterialEvaluator.evaluate(batch)
        }
    }

    /// Computes priors with every value, as before [`Evaluator::has_costly_priors`].
    struct AtOnce(ValuePriors);

    impl Evaluator for AtOnce {
        fn describe(&self) -> String {
            self.0.describe()
        }

        fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
            self.0.evaluate(batch)
        }
    }

    /// The visits of the root's moves after a number of nodes, and the number of evaluated positions.
    fn visits(
        wrap: fn(ValuePriors) -> Arc<dyn Evaluator>,
        temperature: f32,
        nodes: u64,
    ) -> (Vec<(Move, u64)>, u64) {
        let counting = Arc::new(Counting(AtomicU64::new(0)));
        let evaluator = wrap(ValuePriors { inner: Arc::<Counting>::clone(&counting), temperature });
        let kind = search_kind("plain-puct").unwrap();
        let mut search = kind.build(evaluator, &SearchOptions::default(), None);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let found = search.run(&Game::default(), &limits, &StopSignal::default(), &mut |_| ()).unwrap();
        let moves = found.info.root_moves.iter().map(|known| (known.chess_move, known.visits)).collect();
        (moves, counting.0.load(Ordering::Relaxed))
    }

    #[test]
    fn leaves_are_asked_for_priors_at_their_second_visit() {
        let late = |nodes| visits(|priors| Arc::new(priors), 10.0, nodes);
        // The root and its 20 moves.
        assert_eq!(late(1).1, 1 + 20);
        // All of its moves are alike, so that each is visited once before one is visited again.
        let (moves, asked) = late(21);
        assert!(moves.iter().all(|&(_, visits)| visits == 1), "{moves:?}");
        assert_eq!(asked, 1 + 20 + 20);
        // The second visit: the leaf with its 20 replies, and the one of them that is visited.
        assert_eq!(late(22).1, 1 + 20 + 20 + (1 + 20) + 1);
    }

    #[test]
    fn what_is_asked_for_later_changes_no_visit() {
        for temperature in [0.05, 0.3, 2.0] {
            let (late, asked_late) = visits(|priors| Arc::new(priors), temperature, 300);
            let (at_once, asked_at_once) = visits(|priors| Arc::new(AtOnce(priors)), temperature, 300);
            assert_eq!(late, at_once, "temperature {temperature}");
            assert!(asked_late < asked_at_once / 2, "{asked_late} and {asked_at_once} positions");
        }
    }

    #[test]
    fn options_that_change_make_the_search_that_they_would_have_made() {
        let kind = search_kind("plain-puct").unwrap();
        let options = parse("ValuePriors=0.2").unwrap();
        let limits = Limits { nodes: Some(40), ..Limits::default() };
        let game = Game::from_fen("4k3/8/8/8/8/8/8/R1n1K3 w - - 0 1", CastlingMode::Standard).unwrap();
        let decide = |search: &mut dyn Search| {
            let found = search.run(&game, &limits, &StopSignal::default(), &mut |_| ()).unwrap();
            found
                .info
                .root_moves
                .iter()
                .map(|root_move| (root_move.chess_move, root_move.visits, root_move.prior))
                .collect::<Vec<_>>()
        };
        let mut plain = kind.build(Arc::new(MaterialEvaluator), &SearchOptions::default(), None);
        let before = decide(plain.as_mut());
        plain.set_options(&options);
        let after = decide(plain.as_mut());
        assert_eq!(after, decide(kind.build(Arc::new(MaterialEvaluator), &options, None).as_mut()));
        assert_ne!(before, after);
        plain.set_options(&SearchOptions::default());
        assert_eq!(decide(plain.as_mut()), before);
    }
}
