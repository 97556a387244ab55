//! Alpha-beta with iterative deepening, quiescence and a transposition table, over any evaluator's values.

mod entry;

use std::sync::Arc;

use chess::{
    Decision, Evaluator, Game, Limits, Move, Position, Search, SearchError, SearchInfo, SearchOptions,
    StopSignal, Window,
};

use self::entry::Entry;
use crate::{
    GeneralOptions,
    bound::Bound,
    candidates::candidates,
    evaluate::evaluate_one,
    mates::{INFINITE, MATED, mates_within},
    moves::order,
    search_report::{self, Counts},
    time::{TimeManager, TimeOptions},
    transposition_table::TranspositionTable,
};

/// Values inside the search: results from -1 to 1 in units of 1e-4, mates beyond.
const UNIT: f32 = 10_000.0;
/// Depth at which deepening ends by itself: no position needs it.
const MAX_DEPTH: u32 = 64;

/// Depth-first search for the best line (Knuth and Moore, "An analysis of alpha-beta pruning", 1975), deepened one
/// half-move at a time; at the horizon captures and promotions are played on (quiescence) until the position is quiet.
/// The evaluator's policy is not used.
pub struct AlphaBeta {
    evaluator: Arc<dyn Evaluator>,
    general: GeneralOptions,
    time: TimeOptions,
    table: TranspositionTable<Entry>,
}

impl AlphaBeta {
    /// A search over this evaluator's values.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions) -> Self {
        let general = GeneralOptions::read(options);
        let table = TranspositionTable::new(general.bytes());
        Self { evaluator, general, time: TimeOptions::read(options), table }
    }
}

/// State of one search in progress.
struct Run<'a> {
    evaluator: &'a dyn Evaluator,
    table: &'a mut TranspositionTable<Entry>,
    time: TimeManager<'a>,
    game: Game,
    nodes: u64,
    evaluations: u64,
}

/// Reason why a value is missing.
#[derive(Debug)]
enum Stopped {
    /// The limits ended the search.
    ByLimits,
    Failed(SearchError),
}

impl Run<'_> {
    /// The value of the current position for the side to move, `ply` half-moves below the root.
    fn value(&mut self, depth: u32, ply: i32, Window { mut alpha, beta }: Window) -> Result<i32, Stopped> {
        self.enter()?;
        if let Some(value) = self.end_of_game(ply) {
            return Ok(value);
        }
        if depth == 0 {
            return self.quiescence(ply, Window { alpha, beta });
        }
        let known = self.table.get(self.game.key()).copied();
        if let Some(value) = known.and_then(|entry| entry.cutoff(depth, ply, Window { alpha, beta })) {
            return Ok(value);
        }
        let mut moves: Vec<Move> = self.game.legal_moves().into_iter().collect();
        order(&mut moves, known.and_then(|entry| entry.best));
        let (original, mut best, mut best_move) = (alpha, -INFINITE, None);
        for chess_move in moves {
            self.game.play_unchecked(chess_move);
            let value = self.value(depth - 1, ply + 1, Window { alpha, beta }.reversed()).map(|value| -value);
            self.game.undo();
            let value = value?;
            if value > best {
                (best, best_move) = (value, Some(chess_move));
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                break;
            }
        }
        let bound = Bound::of(best, Window { alpha: original, beta });
        self.table.put(self.game.key(), Entry::new(best_move, depth, best, bound, ply));
        Ok(best)
    }

    /// The value when the side to move may stand pat or capture and promote on; in check every move is tried.
    /// Not shared with [`chess::quiescence`], which prunes speculatively, ignores history and calls an
    /// infallible evaluator.
    fn quiescence(&mut self, ply: i32, Window { mut alpha, beta }: Window) -> Result<i32, Stopped> {
        let in_check = self.game.position().is_check();
        let mut best = if in_check { -INFINITE } else { self.evaluate()? };
        alpha = alpha.max(best);
        if alpha >= beta {
            return Ok(best);
        }
        let mut moves: Vec<Move> = self.game.legal_moves().into_iter().collect();
        if !in_check {
            moves.retain(|chess_move| chess_move.is_capture() || chess_move.is_promotion());
        }
        order(&mut moves, None);
        for chess_move in moves {
            self.game.play_unchecked(chess_move);
            let value = self.enter().and_then(|()| match self.end_of_game(ply + 1) {
                Some(value) => Ok(-value),
                None => self.quiescence(ply + 1, Window { alpha, beta }.reversed()).map(|value| -value),
            });
            self.game.undo();
            best = best.max(value?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    fn enter(&mut self) -> Result<(), Stopped> {
        if self.time.is_over(self.nodes) {
            return Err(Stopped::ByLimits);
        }
        self.nodes += 1;
        Ok(())
    }

    /// The value of a game that is over; a second occurrence of a position counts as a draw.
    fn end_of_game(&self, ply: i32) -> Option<i32> {
        match self.game.outcome() {
            Some(outcome) if outcome.winner.is_some() => Some(MATED + ply),
            Some(_) => Some(0),
            None => (self.game.repetitions() > 0).then_some(0),
        }
    }

    fn evaluate(&mut self) -> Result<i32, Stopped> {
        self.evaluations += 1;
        let legal_moves = self.game.legal_moves();
        let answer = evaluate_one(self.evaluator, &self.game, &legal_moves);
        let answer = answer.map_err(|error| Stopped::Failed(error.into()))?;
        Ok((answer.wdl.value() * UNIT) as i32)
    }

    /// One iteration over the root moves, which come in the order of the previous iteration. After a halt, the moves that
    /// were searched before it are at the front with their new values, the best first.
    fn iteration(&mut self, moves: &mut [(Move, i32)], depth: u32) -> Result<(), Stopped> {
        let mut alpha = -INFINITE;
        for index in 0..moves.len() {
            self.game.play_unchecked(moves[index].0);
            let window = Window { alpha, beta: INFINITE }.reversed();
            let value = self.value(depth - 1, 1, window).map(|value| -value);
            self.game.undo();
            moves[index].1 = value?;
            if moves[index].1 > alpha {
                alpha = moves[index].1;
                moves[..=index].rotate_right(1);
            }
        }
        Ok(())
    }

    /// The line that the table holds from the current position on; it begins with `first`.
    fn line(&self, first: Move, length: u32) -> Vec<Move> {
        let mut game = self.game.clone();
        let mut line = vec![first];
        game.play_unchecked(first);
        while (line.len() as u32) < length && game.outcome().is_none() {
            let best = self.table.get(game.key()).and_then(|entry| entry.best);
            let Some(next) = best.filter(|&chess_move| game.position().is_legal(chess_move)) else { break };
            line.push(next);
            game.play_unchecked(next);
        }
        line
    }
}

impl Search for AlphaBeta {
    fn describe(&self) -> String {
        format!("alpha-beta over {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.table.clear();
    }

    fn set_options(&mut self, options: &SearchOptions) {
        let bytes = self.general.bytes();
        (self.general, self.time) = (GeneralOptions::read(options), TimeOptions::read(options));
        if self.general.bytes() != bytes {
            self.table = TranspositionTable::new(self.general.bytes());
        }
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        // Entries of searches with other limits would make the choice depend on those limits.
        self.table.clear();
        let mut moves: Vec<(Move, i32)> =
            candidates(game, limits)?.into_iter().map(|chess_move| (chess_move, 0)).collect();
        let time = TimeManager::new(game, limits, stop, &self.time);
        let (table, evaluator) = (&mut self.table, self.evaluator.as_ref());
        let mut run = Run { evaluator, table, time, game: game.clone(), nodes: 0, evaluations: 0 };
        let mut completed = 0;
        for depth in 1..=limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH) {
            match run.iteration(&mut moves, depth) {
                Ok(()) => completed = depth,
                Err(Stopped::ByLimits) => break,
                Err(Stopped::Failed(error)) => return Err(error),
            }
            report(&report_of(&run, &moves, completed, &self.general));
            if limits.mate.is_some_and(|mate| mates_within(moves[0].1, mate)) {
                break;
            }
        }
        run.time.hold();
        Ok(search_report::decide(report_of(&run, &moves, completed, &self.general), 0, report))
    }
}

/// The report after `completed` iterations. Only the best move's value is exact; the other moves' values are bounds.
fn report_of(run: &Run<'_>, moves: &[(Move, i32)], completed: u32, options: &GeneralOptions) -> SearchInfo {
    let prior = 1.0 / moves.len() as f32;
    let found =
        moves.iter().map(|&(chess_move, value)| (chess_move, prior, (completed > 0).then_some(value)));
    let ranked =
        search_report::ranked(found, |value| value as f32 / UNIT, |first| run.line(first, completed));
    let counts = Counts {
        depth: completed,
        nodes: run.nodes,
        evaluations: run.evaluations,
        elapsed: run.time.elapsed(),
    };
    search_report::info(ranked, counts, options)
}

#[cfg(test)]
mod tests;
