//! The one-ply player: the move after which the evaluator likes the position best.

use std::sync::Arc;

use chess::{
    Chess, Decision, EvaluationRequest, Evaluator, Game, Limits, Move, Position, RootMove, Score, Search,
    SearchError, SearchInfo, StopSignal, Wdl,
};

use crate::{
    PuctOptions,
    deadline::{Deadline, candidates},
    findings::{self, Counts},
    policy::missing_answer,
    score::score_of,
};

/// Plays the move with the best value after it. What the rules decide the evaluator is not asked: checkmate wins,
/// stalemate, bare kings, a third repetition and the fiftieth move draw, and a move that lets the opponent mate at once
/// loses.
pub struct ValueSearch {
    evaluator: Arc<dyn Evaluator>,
    options: PuctOptions,
}

impl ValueSearch {
    /// A player by this evaluator's values.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: PuctOptions) -> Self {
        Self { evaluator, options }
    }

    /// Evaluates the moves that the rules do not decide, until the deadline; how many were evaluated.
    fn evaluate(
        &self,
        game: &Game,
        ranked: &mut [RootMove],
        deadline: &mut Deadline<'_>,
    ) -> Result<u64, SearchError> {
        let mut nodes = ranked.iter().filter(|root_move| root_move.visits > 0).count() as u64;
        let mut evaluations = 0;
        let open: Vec<usize> = (0..ranked.len()).filter(|&index| ranked[index].visits == 0).collect();
        for batch in open.chunks(self.evaluator.preferred_batch().max(1)) {
            let mut positions = Vec::new();
            for &index in batch {
                if deadline.is_over(nodes) {
                    break;
                }
                let mut after = game.clone();
                after.play_unchecked(ranked[index].chess_move);
                let moves: Vec<Move> = after.legal_moves().into_iter().collect();
                positions.push((index, after, moves));
                nodes += 1;
            }
            if positions.is_empty() {
                break;
            }
            let requests: Vec<EvaluationRequest<'_>> = positions
                .iter()
                .map(|(_, game, legal_moves)| EvaluationRequest { game, legal_moves })
                .collect();
            let answers = self.evaluator.evaluate(&requests)?;
            if answers.len() != requests.len() {
                return Err(missing_answer(self.evaluator.as_ref(), requests.len()));
            }
            evaluations += answers.len() as u64;
            for ((index, _, _), answer) in positions.iter().zip(answers) {
                let wdl = answer.wdl.flipped();
                settle(&mut ranked[*index], wdl, score_of(wdl));
            }
        }
        Ok(evaluations)
    }
}

impl Search for ValueSearch {
    fn describe(&self) -> String {
        format!("one ply of {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {}

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = candidates(game, limits)?;
        let prior = 1.0 / moves.len() as f32;
        let mut deadline = Deadline::new(game, limits, stop, &self.options);
        let mut ranked: Vec<RootMove> = Vec::new();
        for (nodes, chess_move) in moves.into_iter().enumerate() {
            let mut root_move = RootMove::unvisited(chess_move, prior);
            if !deadline.is_over(nodes as u64)
                && let Some((wdl, score)) = by_rules(game, chess_move)
            {
                settle(&mut root_move, wdl, score);
            }
            ranked.push(root_move);
        }
        let evaluations = self.evaluate(game, &mut ranked, &mut deadline)?;
        ranked.sort_by(|left, right| worth(right).total_cmp(&worth(left)));
        deadline.hold();
        let nodes = ranked.iter().map(|root_move| root_move.visits).sum();
        let counts = Counts { depth: 1, nodes, evaluations, elapsed: deadline.elapsed() };
        Ok(findings::decide(findings::info(ranked, counts, &self.options), 0, report))
    }
}

fn settle(root_move: &mut RootMove, wdl: Wdl, score: Score) {
    root_move.visits = 1;
    root_move.wdl = Some(wdl);
    root_move.score = Some(score);
}

/// What moves are sorted by: mates beyond every value, unknown moves below.
fn worth(root_move: &RootMove) -> f32 {
    match (root_move.score, root_move.wdl) {
        (Some(Score::Mate(moves)), _) => {
            if moves > 0 {
                2.0
            } else {
                -2.0
            }
        }
        (_, Some(wdl)) => wdl.value(),
        _ => -3.0,
    }
}

/// The value of a move that the rules decide, now or with the opponent's reply.
fn by_rules(game: &Game, chess_move: Move) -> Option<(Wdl, Score)> {
    let mut after = game.clone();
    after.play_unchecked(chess_move);
    if let Some(outcome) = after.outcome() {
        return Some(match outcome.winner {
            Some(_) => (Wdl::WIN, Score::Mate(1)),
            None => (Wdl::DRAW, Score::Centipawns(0)),
        });
    }
    allows_mate(after.position()).then_some((Wdl::LOSS, Score::Mate(-1)))
}

fn allows_mate(position: &Chess) -> bool {
    position.legal_moves().into_iter().any(|reply| {
        let mut end = position.clone();
        end.play_unchecked(reply);
        end.is_checkmate()
    })
}
