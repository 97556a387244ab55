//! End of a search: limits, proofs and decided choices.

use std::time::Duration;

use super::{
    numbers::{EXHAUSTED_AFTER, SPEED_TIME, SPEED_VISITS},
    ranking::{is_forced, is_settled, leaders, line_length},
    shared::{PuctSettings, Statistics},
    tree::{Node, ROOT, State, Tree},
};
use crate::time::{Budget, TimeManager};

/// Decision after a look at the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Continue,
    /// The search is finished but must wait for `stop`.
    Wait,
    Finish,
}

/// The end of one search in progress.
pub(crate) struct Control<'a> {
    time: TimeManager<'a>,
    smart_pruning: f32,
    only_move: OnlyMove,
    /// Lines to report (`MultiPV`): proving the first one does not end the search if there are more.
    multi_pv: u64,
    /// True if the tree is full and cannot be pruned.
    stuck: bool,
}

/// Marks a root with a single move, which is played at once under a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnlyMove {
    Yes,
    No,
}

impl<'a> Control<'a> {
    pub(crate) fn new(time: TimeManager<'a>, settings: &PuctSettings, only_move: OnlyMove) -> Self {
        let (smart_pruning, multi_pv) = (settings.time.smart_pruning, settings.general.multi_pv);
        Self { time, smart_pruning, only_move, multi_pv, stuck: false }
    }

    /// The most visits that the limits allow: under a clock an only move is played after one.
    pub(crate) fn largest_visits(&self) -> u64 {
        let at_once = self.only_move == OnlyMove::Yes && self.time.budget.is_some();
        if at_once { 1 } else { self.time.limits.nodes.unwrap_or(u64::MAX) }
    }

    /// The tree is full and pruning made no room: only visits of known positions are left.
    pub(crate) fn expect_no_growth(&mut self) {
        self.stuck = true;
    }

    pub(crate) fn time(&self) -> &TimeManager<'a> {
        &self.time
    }

    /// Total number of visits that may be made.
    pub(crate) fn node_limit(&self) -> u64 {
        self.time.node_limit().unwrap_or(u64::MAX)
    }

    /// Decides whether to continue, from the tree and the work of this search so far.
    pub(crate) fn verdict(&mut self, tree: &Tree, statistics: &Statistics) -> Verdict {
        if self.time.is_stopped() {
            return Verdict::Finish;
        }
        let exhausted = self.stuck || statistics.visits_since_growth >= EXHAUSTED_AFTER;
        let Some(counted) = self.time.counted() else {
            return if exhausted { Verdict::Wait } else { Verdict::Continue };
        };
        let reached = self.is_reached(tree, statistics, counted);
        let (limits, waits) = (self.time.limits, self.time.waits_for_stop());
        if reached && !waits {
            return Verdict::Finish;
        }
        if reached || (exhausted && (waits || limits.move_time.is_some())) {
            return Verdict::Wait;
        }
        if self.stuck || (exhausted && limits.nodes.is_none()) {
            return Verdict::Finish;
        }
        Verdict::Continue
    }

    fn is_reached(&self, tree: &Tree, statistics: &Statistics, elapsed: Duration) -> bool {
        let limits = self.time.limits;
        let root = tree.node(ROOT);
        let proven = matches!(root.state, State::Won | State::Lost);
        // A node limit is the most that may be spent; a time given for the move is spent in full, less the overhead.
        let may_save = limits.nodes.is_some() && limits.move_time.is_none() && !self.time.waits_for_stop();
        limits.nodes.is_some_and(|nodes| statistics.visits >= nodes)
            || self.time.move_time.is_some_and(|time| elapsed >= time)
            || limits.depth.is_some_and(|depth| proven || line_length(tree) >= depth)
            || limits.mate.is_some_and(|moves| proven && u32::from(root.plies) <= moves.saturating_mul(2))
            || self.time.budget.is_some_and(|budget| self.is_spent(budget, tree, statistics, elapsed))
            || (may_save && self.multi_pv == 1 && is_shortest_mate(&root))
    }

    /// True if a player under a clock would move now.
    fn is_spent(&self, budget: Budget, tree: &Tree, statistics: &Statistics, elapsed: Duration) -> bool {
        if tree.node(ROOT).visits == 0 {
            return false;
        }
        let root = tree.node(ROOT);
        self.only_move == OnlyMove::Yes
            || root.state.is_proven()
            || is_forced(tree)
            || elapsed >= budget.maximum
            || (elapsed >= budget.optimum && is_settled(tree))
            || self.is_decided(budget, tree, statistics, elapsed)
    }

    /// True if the second move cannot catch up any more at the present speed (lc0's smart pruning).
    fn is_decided(&self, budget: Budget, tree: &Tree, statistics: &Statistics, elapsed: Duration) -> bool {
        if self.smart_pruning == 0.0 || statistics.visits < SPEED_VISITS || elapsed < SPEED_TIME {
            return false;
        }
        let speed = statistics.visits as f64 / self.time.elapsed().as_secs_f64().max(f64::EPSILON);
        let left = budget.optimum.saturating_sub(elapsed);
        cannot_be_overtaken(leaders(tree), speed * left.as_secs_f64() / f64::from(self.smart_pruning))
    }
}

/// True if the root is proven to mate and no line mates earlier: a mate in one is looked for before the search begins, so
/// a mate in two is the shortest wherever it is found.
fn is_shortest_mate(root: &Node) -> bool {
    root.state == State::Won && root.plies <= 3
}

/// True if the most visited move stays ahead even if the next one gets all of the remaining visits.
fn cannot_be_overtaken((first, second): (u32, u32), visits_left: f64) -> bool {
    f64::from(first - second) > visits_left
}

#[cfg(test)]
mod tests {
    use chess::{Clock, Game, Limits, StopSignal};

    use super::*;
    use crate::{
        packed::{PackedMove, PackedPrior},
        puct::tree::{Allocator, Edge},
    };

    #[test]
    fn a_lead_is_decisive_when_it_exceeds_the_visits_left() {
        for (leaders, visits_left, decided) in [
            ((900, 100), 799.0, true),
            ((900, 100), 800.0, false),
            ((10, 10), 0.0, false),
            ((1, 0), 0.5, true),
        ] {
            assert_eq!(cannot_be_overtaken(leaders, visits_left), decided, "{leaders:?} {visits_left}");
        }
    }

    /// A control under a clock whose optimum is long over, and the verdict on a tree with these root visits and values.
    fn verdict(children: [(u32, f32); 2], clock_seconds: u64) -> Verdict {
        let tree = Tree::new(1 << 20);
        let game = Game::default();
        let prior = PackedPrior::pack(0.05);
        let edges: Vec<Edge> = game
            .legal_moves()
            .iter()
            .map(|&chess_move| Edge::new(PackedMove::pack(chess_move), prior))
            .collect();
        let mut stock = Allocator::default();
        tree.open(ROOT, &edges, &mut stock);
        for (ordinal, (visits, value)) in children.into_iter().enumerate() {
            let child = tree.child_or_new(ROOT, ordinal, &mut stock);
            tree.raw(child).set_average(visits, value);
        }
        tree.raw(ROOT).set_average(1 + children[0].0 + children[1].0, 0.0);
        let clock = Clock { remaining: Duration::from_secs(clock_seconds), ..Clock::default() };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let stop = StopSignal::default();
        let settings = PuctSettings::read(&crate::options::parse("SmartPruning=0").unwrap());
        let time = TimeManager::new(&game, &limits, &stop, &settings.time);
        let mut control = Control::new(time, &settings, OnlyMove::No);
        // As if the search had begun half-way between the optimum and the maximum ago.
        let budget = control.time.budget.expect("there is a clock");
        control.time.set_back((budget.optimum + budget.maximum) / 2);
        control.verdict(&tree, &Statistics::default())
    }

    #[test]
    fn a_move_that_alone_does_not_lose_is_played_at_once() {
        let tree = Tree::new(1 << 20);
        let prior = PackedPrior::pack(0.3);
        let edges: Vec<Edge> = Game::default().legal_moves()[..3]
            .iter()
            .map(|&chess_move| Edge::new(PackedMove::pack(chess_move), prior))
            .collect();
        let mut stock = Allocator::default();
        tree.open(ROOT, &edges, &mut stock);
        assert!(!is_forced(&tree));
        for ordinal in 0..2 {
            let child = tree.child_or_new(ROOT, ordinal, &mut stock);
            assert!(!is_forced(&tree));
            tree.raw(child).settle(State::Won, 4);
        }
        assert!(is_forced(&tree), "the third was not even tried");
    }

    /// An answer that is sent when the time is over arrives too late.
    #[test]
    fn a_time_for_the_move_ends_before_it_is_over() {
        let day = Duration::from_hours(24);
        let limits = Limits { move_time: Some(day), ..Limits::default() };
        let stop = StopSignal::default();
        let verdict = |text: &str, remaining: Duration| {
            let settings = PuctSettings::read(&crate::options::parse(text).unwrap());
            let time = TimeManager::new(&Game::default(), &limits, &stop, &settings.time);
            let mut control = Control::new(time, &settings, OnlyMove::No);
            control.time.set_back(day.saturating_sub(remaining));
            control.verdict(&Tree::new(1 << 20), &Statistics::default())
        };
        assert_eq!(verdict("MoveOverhead=10000", Duration::from_secs(9)), Verdict::Finish);
        assert_eq!(verdict("MoveOverhead=0", Duration::from_secs(9)), Verdict::Continue);
    }

    #[test]
    fn at_the_optimum_a_settled_choice_is_played_and_an_unsettled_one_thought_over() {
        // A day on the clock: the maximum is far away however slow the machine.
        let day = 86_400;
        assert_eq!(verdict([(1000, 0.3), (500, 0.2)], day), Verdict::Finish);
        assert_eq!(verdict([(1000, 0.3), (500, 0.4)], day), Verdict::Continue);
        assert_eq!(verdict([(1000, 0.3), (50, 0.9)], day), Verdict::Finish, "too few visits to matter");
        assert_eq!(verdict([(1000, 0.3), (500, 0.4)], 0), Verdict::Finish, "past the maximum");
    }
}
