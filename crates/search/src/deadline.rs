//! When a search without a tree to ask ends: the limits that depend on nodes and time alone.

use std::time::{Duration, Instant};

use chess::{Game, Limits, Move, Position, SearchError, StopSignal};

use crate::{
    PuctOptions,
    time::{TimeSettings, allocate},
};

/// How long to sleep between looks at the stop signal.
const WAIT: Duration = Duration::from_millis(1);

/// The limits of a search in progress.
pub(crate) struct Deadline<'a> {
    limits: &'a Limits,
    stop: &'a StopSignal,
    start: Instant,
    /// When the limits began to count: at the start or, after pondering, at the ponder hit.
    counting_since: Option<Instant>,
    budget: Option<Duration>,
}

impl<'a> Deadline<'a> {
    pub(crate) fn new(game: &Game, limits: &'a Limits, stop: &'a StopSignal, options: &PuctOptions) -> Self {
        let start = Instant::now();
        let settings = TimeSettings {
            overhead: Duration::from_millis(options.move_overhead),
            slow_mover: options.slow_mover,
        };
        let move_number = game.position().fullmoves().get();
        let clock = limits.clock.map(|clock| allocate(&clock, move_number, settings).optimum);
        let budget = [clock, limits.move_time].into_iter().flatten().min();
        Self { limits, stop, start, counting_since: (!limits.ponder).then_some(start), budget }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether to end, after so many nodes.
    pub(crate) fn is_over(&mut self, nodes: u64) -> bool {
        self.stop.is_stopped()
            || (!self.waits()
                && (self.limits.nodes.is_some_and(|limit| nodes >= limit)
                    || self
                        .counting_since
                        .zip(self.budget)
                        .is_some_and(|(since, budget)| since.elapsed() >= budget)))
    }

    /// Returns when a search that has nothing left to do may answer: at once, or when it is told to stop or that the
    /// opponent played the expected move.
    pub(crate) fn hold(&mut self) {
        while !self.stop.is_stopped() && self.waits() {
            std::thread::sleep(WAIT);
        }
    }

    /// Whether the limits do not count, or not yet.
    fn waits(&mut self) -> bool {
        if self.counting_since.is_none() && self.stop.is_ponder_hit() {
            self.counting_since = Some(Instant::now());
        }
        let limits = self.limits;
        let unlimited = limits.nodes.is_none()
            && limits.depth.is_none()
            && limits.mate.is_none()
            && self.budget.is_none();
        self.counting_since.is_none() || limits.infinite || unlimited
    }
}

/// The root moves that the limits allow, in generation order.
pub(crate) fn candidates(game: &Game, limits: &Limits) -> Result<Vec<Move>, SearchError> {
    let wanted = &limits.search_moves;
    let chosen: Vec<Move> = game
        .legal_moves()
        .iter()
        .copied()
        .filter(|chess_move| wanted.is_empty() || wanted.contains(chess_move))
        .collect();
    if chosen.is_empty() {
        return Err(SearchError::NoLegalMove { fen: game.fen() });
    }
    Ok(chosen)
}
