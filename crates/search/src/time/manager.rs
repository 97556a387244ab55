//! The clock of one search: the start of its limits, the elapsed time, and whether it must wait for `stop`.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use chess::{Game, Limits, Position, StopSignal};

use super::{Budget, TimeOptions, allocate, spendable};

/// Interval at which the stop signal is polled.
const WAIT: Duration = Duration::from_millis(1);

/// The limits of a search in progress with its clock.
pub(crate) struct TimeManager<'a> {
    pub(crate) limits: &'a Limits,
    stop: &'a StopSignal,
    start: Instant,
    /// Time from which the limits count: the start or, after pondering, the ponder hit.
    counting_since: Cell<Option<Instant>>,
    /// The share of a clock for this move.
    pub(crate) budget: Option<Budget>,
    /// Usable part of `movetime`.
    pub(crate) move_time: Option<Duration>,
}

impl<'a> TimeManager<'a> {
    pub(crate) fn new(game: &Game, limits: &'a Limits, stop: &'a StopSignal, options: &TimeOptions) -> Self {
        let start = Instant::now();
        let move_number = game.position().fullmoves().get();
        let budget = limits.clock.map(|clock| allocate(&clock, move_number, options));
        let move_time = limits.move_time.map(|time| spendable(time, options));
        let counting_since = Cell::new((!limits.ponder).then_some(start));
        Self { limits, stop, start, counting_since, budget, move_time }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// For how long the limits have counted; `None` while the search ponders.
    pub(crate) fn counted(&self) -> Option<Duration> {
        if self.counting_since.get().is_none() {
            self.counting_since.set(self.stop.ponder_hit_at());
        }
        self.counting_since.get().map(|since| since.elapsed())
    }

    /// The node limit, if limits count.
    pub(crate) fn node_limit(&self) -> Option<u64> {
        self.limits.nodes.filter(|_| self.counting_since.get().is_some())
    }

    /// True if only `stop` ends the search.
    pub(crate) fn waits_for_stop(&self) -> bool {
        self.limits.infinite || !self.limits.has_limit()
    }

    /// For how long the limits have counted; `None` while only `stop` or the ponder hit matters.
    fn counted_by_limits(&self) -> Option<Duration> {
        self.counted().filter(|_| !self.waits_for_stop())
    }

    /// True if the search must end, or this share of the time for the move is over.
    pub(crate) fn is_share_over(&self, share: f32) -> bool {
        let counted = self.counted_by_limits();
        let is_spent = |counted: Duration| self.time().is_some_and(|time| counted >= time.mul_f32(share));
        self.is_stopped() || counted.is_some_and(is_spent)
    }

    /// True if a search that only counts its nodes must end.
    pub(crate) fn is_over(&mut self, nodes: u64) -> bool {
        self.is_beyond(nodes, self.time())
    }

    /// True if a search that ends by itself when the move has had its share of the clock must end anyway.
    pub(crate) fn is_at_maximum(&mut self, nodes: u64) -> bool {
        let maximum = self.budget.map(|budget| budget.maximum);
        self.is_beyond(nodes, [self.move_time, maximum].into_iter().flatten().min())
    }

    fn is_beyond(&mut self, nodes: u64, time: Option<Duration>) -> bool {
        if self.is_stopped() {
            return true;
        }
        let Some(counted) = self.counted_by_limits() else { return false };
        self.limits.nodes.is_some_and(|limit| nodes >= limit) || time.is_some_and(|time| counted >= time)
    }

    /// True if this multiple of the move's share of the clock has passed.
    pub(crate) fn is_spent(&mut self, share: f32) -> bool {
        let Some(counted) = self.counted_by_limits() else { return false };
        self.budget.is_some_and(|budget| counted >= budget.optimum.mul_f32(share))
    }

    /// Blocks until a finished search may answer: returns at once, or at `stop` or the ponder hit.
    pub(crate) fn hold(&mut self) {
        while !self.is_stopped() && self.counted_by_limits().is_none() {
            std::thread::sleep(WAIT);
        }
    }

    /// Returns when the limits have counted for this long, or at `stop`; at once while only `stop` ends the search.
    pub(crate) fn hold_until(&mut self, time: Duration) {
        while !self.is_stopped()
            && !self.waits_for_stop()
            && self.counted().is_none_or(|counted| counted < time)
        {
            std::thread::sleep(WAIT);
        }
    }

    /// The time for the move, if it has one.
    fn time(&self) -> Option<Duration> {
        [self.move_time, self.budget.map(|budget| budget.optimum)].into_iter().flatten().min()
    }

    /// Moves the start of the count back by `time`.
    #[cfg(test)]
    pub(crate) fn set_back(&mut self, time: Duration) {
        self.counting_since.set(Instant::now().checked_sub(time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What prepares a search ended at its share of the move's time while the opponent was still thinking.
    #[test]
    fn shares_of_the_time_are_not_spent_before_the_ponder_hit() {
        let (game, options, stop) = (Game::default(), TimeOptions::default(), StopSignal::default());
        let limits = Limits { ponder: true, move_time: Some(Duration::ZERO), ..Limits::default() };
        let time = TimeManager::new(&game, &limits, &stop, &options);
        assert!(!time.is_share_over(0.5));
        stop.ponder_hit();
        assert!(time.is_share_over(0.5));
        let (stop, limits) = (StopSignal::default(), Limits { ponder: false, infinite: true, ..limits });
        let time = TimeManager::new(&game, &limits, &stop, &options);
        assert!(!time.is_share_over(0.5), "only `stop` ends an analysis");
        stop.stop();
        assert!(time.is_share_over(0.5));
    }

    /// With `HumanTime` the wait after a search began to count at its end: the search's own time was spent twice.
    #[test]
    fn time_counts_from_the_ponder_hit_whenever_it_is_noticed() {
        let (game, options, stop) = (Game::default(), TimeOptions::default(), StopSignal::default());
        let limits = Limits { ponder: true, move_time: Some(Duration::from_hours(1)), ..Limits::default() };
        let time = TimeManager::new(&game, &limits, &stop, &options);
        assert_eq!(time.counted(), None);
        stop.ponder_hit();
        let searched = Duration::from_millis(20);
        std::thread::sleep(searched);
        assert!(time.counted().expect("the hit was noticed") >= searched);
    }
}
