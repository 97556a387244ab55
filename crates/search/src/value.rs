//! The one-ply player: the move after which the evaluator likes the position best.

mod emulation;

use std::sync::Arc;

use chess::{
    Decision, EvaluationRequest, Evaluator, Game, Limits, Move, RootMove, Score, Search, SearchError,
    SearchInfo, SearchOptions, StopSignal, Wdl,
};

use crate::{
    evaluate::{PositionAfter, evaluate},
    general_options::SeededRandom,
    moves::mating_move,
    root_moves::candidates,
    score::score_of,
    search_report::{self, Counts},
    time::{TimeManager, TimeOptions},
    tunables::tunables,
};

pub use emulation::EmulationOptions;

tunables! {
    /// Rules of the one-ply player.
    OnePlyOptions

    "OpponentMate" opponent_mate: bool = true in false, true;
    "One ply: a move that lets the opponent mate at once counts as lost."

    "SecondOccurrence" second_occurrence: bool = false in false, true;
    "One ply: a move back to a position that the game has had counts as a draw; off: only the third occurrence does."

    "CaptureBonus" capture_bonus: f32 = 0.0 in 0.0, 2.0;
    "One ply: bonus of a capture, added to its value, on the scale of expected results from -1 to 1."
}

impl OnePlyOptions {
    /// The value of a move for which the rules decide, now or with the opponent's reply.
    fn decided(&self, game: &Game, chess_move: Move) -> Option<(Wdl, Score)> {
        const DRAW: (Wdl, Score) = (Wdl::DRAW, Score::Centipawns(0));
        let after = game.after(chess_move);
        if let Some(outcome) = after.outcome() {
            return Some(match outcome.winner {
                Some(_) => (Wdl::WIN, Score::Mate(1)),
                None => DRAW,
            });
        }
        if self.opponent_mate && mating_move(after.position(), &after.legal_moves()).is_some() {
            return Some((Wdl::LOSS, Score::Mate(-1)));
        }
        (self.second_occurrence && after.repetitions() > 0).then_some(DRAW)
    }

    /// Bonus added to the value of a move.
    fn bonus(&self, chess_move: Move) -> f32 {
        if chess_move.is_capture() { self.capture_bonus } else { 0.0 }
    }
}

/// Plays the move with the best value after it. The evaluator is not called where the rules decide: checkmate
/// wins; stalemate, bare kings, a third repetition and the fiftieth move draw. [`OnePlyOptions`] has more
/// such rules, and [`EmulationOptions`] weakens play.
pub struct ValueSearch {
    evaluator: Arc<dyn Evaluator>,
    rules: OnePlyOptions,
    emulation: EmulationOptions,
    time: TimeOptions,
    random: SeededRandom,
}

impl ValueSearch {
    /// A player by this evaluator's values.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions) -> Self {
        Self {
            evaluator,
            rules: OnePlyOptions::read(options),
            emulation: EmulationOptions::read(options),
            time: TimeOptions::read(options),
            random: SeededRandom::new(options),
        }
    }

    /// Chooses among moves that are sorted, best first.
    fn choose(&mut self, ranked: &[RootMove]) -> usize {
        let values: Vec<f32> = ranked.iter().map_while(|root_move| root_move.wdl.map(Wdl::value)).collect();
        if self.emulation.elo == 0 || values.is_empty() {
            return 0;
        }
        let pawns = self.emulation.blurred(&values, self.random.generator());
        self.emulation.draw(&pawns, self.random.generator())
    }

    /// Evaluates the moves that the rules do not decide, until the time is over. Returns how many were evaluated.
    fn evaluate(
        &self,
        game: &Game,
        ranked: &mut [RootMove],
        time: &mut TimeManager<'_>,
    ) -> Result<u64, SearchError> {
        let mut nodes = ranked.iter().filter(|root_move| root_move.visits > 0).count() as u64;
        let mut evaluations = 0;
        let open: Vec<usize> = (0..ranked.len()).filter(|&index| ranked[index].visits == 0).collect();
        for batch in open.chunks(self.evaluator.preferred_batch().max(1)) {
            let mut positions = Vec::new();
            for &index in batch {
                if time.is_over(nodes) {
                    break;
                }
                positions.push(PositionAfter::new(index, game.after(ranked[index].chess_move)));
                nodes += 1;
            }
            if positions.is_empty() {
                break;
            }
            let requests: Vec<EvaluationRequest<'_>> = positions.iter().map(PositionAfter::request).collect();
            let answers = evaluate(self.evaluator.as_ref(), &requests)?;
            evaluations += answers.len() as u64;
            for (position, answer) in positions.iter().zip(answers) {
                let wdl = answer.wdl.flipped();
                settle(&mut ranked[position.place], wdl, score_of(wdl));
            }
        }
        Ok(evaluations)
    }
}

impl Search for ValueSearch {
    fn describe(&self) -> String {
        format!("one ply of {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.random.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.random.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.random.set_options(options);
        self.time = TimeOptions::read(options);
        (self.rules, self.emulation) = (OnePlyOptions::read(options), EmulationOptions::read(options));
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = candidates(game, limits)?;
        let prior = 1.0 / moves.len() as f32;
        let mut time = TimeManager::new(game, limits, stop, &self.time);
        let mut ranked: Vec<RootMove> = Vec::new();
        for (nodes, chess_move) in moves.into_iter().enumerate() {
            let mut root_move = RootMove::unvisited(chess_move, prior);
            if !time.is_over(nodes as u64)
                && let Some((wdl, score)) = self.rules.decided(game, chess_move)
            {
                settle(&mut root_move, wdl, score);
            }
            ranked.push(root_move);
        }
        let evaluations = self.evaluate(game, &mut ranked, &mut time)?;
        ranked.sort_by(|left, right| {
            let worths = [left, right].map(|one| worth(one, self.rules.bonus(one.chess_move)));
            worths[1].total_cmp(&worths[0])
        });
        let chosen = self.choose(&ranked);
        time.hold();
        let nodes = ranked.iter().map(|root_move| root_move.visits).sum();
        let counts = Counts { depth: 1, nodes, evaluations, elapsed: time.elapsed() };
        Ok(search_report::decide(search_report::info(ranked, counts, self.random.general()), chosen, report))
    }
}

fn settle(root_move: &mut RootMove, wdl: Wdl, score: Score) {
    root_move.visits = 1;
    root_move.wdl = Some(wdl);
    root_move.score = Some(score);
}

// Sort keys. A value lies between -1 and 1 and its bonus between 0 and 2, so that a mate is above and being mated below all of them.
const MATES: f32 = 4.0;
const IS_MATED: f32 = -2.0;
const UNKNOWN: f32 = -3.0;

/// Sort key of moves: mates beyond every value with its bonus, unknown moves below.
fn worth(root_move: &RootMove, bonus: f32) -> f32 {
    match (root_move.score, root_move.wdl) {
        (Some(Score::Mate(1..)), _) => MATES,
        (Some(Score::Mate(_)), _) => IS_MATED,
        (_, Some(wdl)) => wdl.value() + bonus,
        _ => UNKNOWN,
    }
}
