//! The player without search: the move that the evaluator's policy likes best, or one drawn from its best few.

use std::sync::Arc;

use chess::{
    Decision, EvaluationRequest, Evaluator, Game, Limits, RootMove, Search, SearchError, SearchInfo,
    StopSignal,
};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    PuctOptions,
    deadline::{Deadline, candidates},
    findings::{self, Counts},
    puct::temperature::{applies, draw},
    score::score_of,
};

/// Plays by the policy alone: its first move or, under a temperature T, one of its first `TopK` drawn with probability
/// proportional to prior^(1/T), during the first `TemperaturePlies` half-moves where that is set: an opening table that
/// never ends abruptly.
pub struct PolicySearch {
    evaluator: Arc<dyn Evaluator>,
    options: PuctOptions,
    random: Xoshiro256PlusPlus,
}

impl PolicySearch {
    /// A player by this evaluator's policy.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: PuctOptions) -> Self {
        let random = options.random(0);
        Self { evaluator, options, random }
    }

    fn choose(&mut self, game: &Game, ranked: &[RootMove]) -> usize {
        let temperature = f64::from(self.options.temperature);
        if temperature == 0.0 || !applies(&self.options, game) {
            return 0;
        }
        let count = match self.options.top_k {
            0 => ranked.len(),
            count => ranked.len().min(usize::try_from(count).unwrap_or(usize::MAX)),
        };
        let weights: Vec<f64> = ranked[..count].iter().map(|root_move| f64::from(root_move.prior)).collect();
        draw(&weights, temperature, &mut self.random)
    }
}

impl Search for PolicySearch {
    fn describe(&self) -> String {
        format!("policy of {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.random = self.options.random(0);
    }

    fn reseed(&mut self, seed: u64) {
        self.random = self.options.random(seed);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = candidates(game, limits)?;
        let mut deadline = Deadline::new(game, limits, stop, &self.options);
        let request = EvaluationRequest { game, legal_moves: &moves };
        let evaluation = self.evaluator.evaluate(&[request])?.pop();
        let Some(evaluation) = evaluation else {
            return Err(missing_answer(self.evaluator.as_ref(), 1));
        };
        let mut ranked: Vec<RootMove> = moves
            .iter()
            .zip(evaluation.priors)
            .map(|(&chess_move, prior)| RootMove::unvisited(chess_move, prior))
            .collect();
        ranked.sort_by(|left, right| right.prior.total_cmp(&left.prior));
        let chosen = self.choose(game, &ranked);
        deadline.hold();
        let counts = Counts { depth: 1, nodes: 1, evaluations: 1, elapsed: deadline.elapsed() };
        let mut info = findings::info(ranked, counts, &self.options);
        // The evaluator judges the position, and so every line alike.
        for line in &mut info.variations {
            (line.wdl, line.score) = (evaluation.wdl, score_of(evaluation.wdl));
        }
        Ok(findings::decide(info, chosen, report))
    }
}

/// The error of an evaluator that gave fewer answers than it was asked for.
pub(crate) fn missing_answer(evaluator: &dyn Evaluator, batch: usize) -> SearchError {
    let reason = "an answer is missing".to_owned();
    SearchError::Evaluator(chess::EvaluatorError { evaluator: evaluator.describe(), batch, reason })
}
