//! The player without search: the move that the evaluator's policy likes best, or one drawn from its best few.

use std::sync::Arc;

use chess::{
    Decision, Evaluator, Game, Limits, RootMove, Search, SearchError, SearchInfo, SearchOptions, StopSignal,
};

use crate::{
    evaluate::evaluate_one,
    general_options::SeededRandom,
    root_moves::candidates,
    score::score_of,
    search_report::{self, Counts},
    temperature::{TemperatureOptions, draw},
    time::{TimeManager, TimeOptions},
};

/// Plays by the policy alone: its first move or, under a temperature T, one of its first `TopK` drawn with
/// probability proportional to prior^(1/T), during the first `TemperaturePlies` half-moves if that is set.
/// Acts as an opening book without an end.
pub struct PolicySearch {
    evaluator: Arc<dyn Evaluator>,
    temperature: TemperatureOptions,
    time: TimeOptions,
    random: SeededRandom,
}

impl PolicySearch {
    /// A player by this evaluator's policy.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions) -> Self {
        let (temperature, time) = (TemperatureOptions::read(options), TimeOptions::read(options));
        Self { evaluator, temperature, time, random: SeededRandom::new(options) }
    }

    fn choose(&mut self, game: &Game, ranked: &[RootMove]) -> usize {
        if !self.temperature.applies(game) {
            return 0;
        }
        let count = match self.temperature.top_k {
            0 => ranked.len(),
            count => ranked.len().min(usize::try_from(count).unwrap_or(usize::MAX)),
        };
        let weights: Vec<f64> = ranked[..count].iter().map(|root_move| f64::from(root_move.prior)).collect();
        draw(&weights, f64::from(self.temperature.temperature), self.random.generator())
    }
}

impl Search for PolicySearch {
    fn describe(&self) -> String {
        format!("policy of {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.random.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.random.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.random.set_options(options);
        (self.temperature, self.time) = (TemperatureOptions::read(options), TimeOptions::read(options));
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = candidates(game, limits)?;
        let mut time = TimeManager::new(game, limits, stop, &self.time);
        let evaluation = evaluate_one(self.evaluator.as_ref(), game, &moves)?;
        let mut ranked: Vec<RootMove> = moves
            .iter()
            .zip(evaluation.priors)
            .map(|(&chess_move, prior)| RootMove::unvisited(chess_move, prior))
            .collect();
        ranked.sort_by(|left, right| right.prior.total_cmp(&left.prior));
        let chosen = self.choose(game, &ranked);
        time.hold();
        let counts = Counts { depth: 1, nodes: 1, evaluations: 1, elapsed: time.elapsed() };
        let mut info = search_report::info(ranked, counts, self.random.general());
        // The evaluator judges the position, so it judges every line alike.
        for line in &mut info.variations {
            (line.wdl, line.score) = (evaluation.wdl, score_of(evaluation.wdl));
        }
        Ok(search_report::decide(info, chosen, report))
    }
}
