//! `RawNode`, the atomics of a node that threads share, and `Node`, its values at one moment.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use super::Edge;

/// State of a node beyond its average value, always from the point of view of the side to move at the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// Not evaluated yet.
    Fresh,
    /// A thread is evaluating it.
    Claimed,
    /// Evaluated, with edges.
    Open,
    /// The value is known, the priors are not requested yet: the node has no edges.
    Valued,
    /// Drawn by the rules, by the tablebases, or with best play by both sides, whatever comes before it in the search.
    Drawn,
    /// Repeats a position of the search path; [`Node::plies`] half-moves back.
    Repeated,
    /// The side to move mates in at most [`Node::plies`] half-moves, or wins by the tablebases from [`TABLE_PLIES`] on.
    Won,
    /// The side to move is mated in at most [`Node::plies`] half-moves (now, where that is 0), or loses by the tablebases.
    Lost,
}

/// Half-moves to mate of a node of which the tablebases know only who wins: beyond every mate that a tree can prove.
pub(crate) const TABLE_PLIES: u16 = 10_000;

impl State {
    const ALL: [Self; 8] = [
        Self::Fresh,
        Self::Claimed,
        Self::Open,
        Self::Valued,
        Self::Drawn,
        Self::Repeated,
        Self::Won,
        Self::Lost,
    ];

    /// True if the outcome with best play is known, whatever comes before in the search.
    pub(crate) fn is_proven(self) -> bool {
        matches!(self, Self::Won | Self::Lost | Self::Drawn)
    }

    /// Value and draw probability, for the side that moved in, of a node that needs no average.
    pub(crate) fn exact(self) -> Option<(f32, f32)> {
        match self {
            Self::Won => Some((-1.0, 0.0)),
            Self::Lost => Some((1.0, 0.0)),
            Self::Drawn | Self::Repeated => Some((0.0, 1.0)),
            Self::Fresh | Self::Claimed | Self::Open | Self::Valued => None,
        }
    }
}

/// Threads that change the statistics of a tree at one time. A single one needs no atomic additions, which cost
/// about twenty cycles each, six for every node of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writers {
    One,
    Many,
}

impl Writers {
    /// Adds to a sum; its value afterwards.
    fn add(self, sum: &AtomicI64, addend: i64) -> i64 {
        if self == Self::Many {
            return sum.fetch_add(addend, Ordering::Relaxed).wrapping_add(addend);
        }
        let after = sum.load(Ordering::Relaxed).wrapping_add(addend);
        sum.store(after, Ordering::Relaxed);
        after
    }

    /// Adds `addend`, which may be negative, to a counter and returns its value.
    fn count(self, counter: &AtomicU32, addend: i32) -> u32 {
        let addend = addend.cast_unsigned();
        if self == Self::Many {
            return counter.fetch_add(addend, Ordering::Relaxed).wrapping_add(addend);
        }
        let after = counter.load(Ordering::Relaxed).wrapping_add(addend);
        counter.store(after, Ordering::Relaxed);
        after
    }
}

/// One in the fixed-point sums of a node: 2^30, so that 2^32 visits fit.
const UNIT: f32 = (1 << 30) as f32;

/// The part of a node's facts that belongs to its edges.
const EDGE_FACTS: u32 = 0xff00;

/// The part of a node that threads share.
///
/// Forty bytes without padding to a cache line: a tree is limited by memory, and 64 bytes a node would hold a third fewer.
/// Neighbours in a slab come from one thread's stock, so two threads rarely write to one line except near the root, where they
/// meet anyway.
#[derive(Default)]
pub(crate) struct RawNode {
    /// Sum of the results for the side that moved *into* this node, in [`UNIT`]s.
    value_sum: AtomicI64,
    draw_sum: AtomicI64,
    square_sum: AtomicI64,
    pub(super) visits: AtomicU32,
    /// Visits on their way, waiting for an evaluation.
    in_flight: AtomicU32,
    pub(super) first_edge: AtomicU32,
    /// State in the lowest byte, number of edges in the next, plies above.
    pub(super) facts: AtomicU32,
}

/// A node at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Average result, -1 to 1, for the side that moved *into* this node, so that its parent compares it directly.
    pub(crate) value: f32,
    pub(crate) draw: f32,
    /// Average square of the results.
    pub(crate) square: f32,
    /// Visits that were backed up; those in progress are not counted.
    pub(crate) visits: u32,
    /// Visits in flight: started, their values not backed up yet.
    pub(crate) in_flight: u32,
    /// Half-moves to mate or back to the repeated position, by [`Node::state`].
    pub(crate) plies: u16,
    pub(crate) edge_count: u8,
    pub(crate) state: State,
}

/// Part of a node at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSnapshot {
    pub(crate) state: State,
    /// Visits that were backed up.
    pub(crate) visits: u32,
    /// Finished and pending visits.
    pub(crate) started: u32,
    /// Average result for the side that moved in; not exact where the state is.
    pub(crate) average: f32,
}

impl Node {
    pub(crate) fn started(&self) -> u32 {
        self.visits + self.in_flight
    }
}

/// Additions to the sums of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) value: i64,
    pub(crate) draw: i64,
    pub(crate) square: i64,
}

impl Sums {
    /// One visit's result for the side that moved into the node.
    pub(crate) fn of(value: f32, draw: f32) -> Self {
        Self {
            value: (value * UNIT) as i64,
            draw: (draw * UNIT) as i64,
            square: (value * value * UNIT) as i64,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            draw: self.draw + other.draw,
            square: self.square + other.square,
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            draw: self.draw - other.draw,
            square: self.square - other.square,
        }
    }

    pub(crate) fn times(self, count: u32) -> Self {
        let count = i64::from(count);
        Self { value: self.value * count, draw: self.draw * count, square: self.square * count }
    }

    /// The node's values from the other side's point of view.
    pub(crate) fn flipped(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl RawNode {
    pub(crate) fn state(&self) -> State {
        state_of(self.facts.load(Ordering::Acquire))
    }

    /// The fields that the choice among siblings needs: a third of [`RawNode::node`], read for every child of every node
    /// passed.
    pub(crate) fn snapshot(&self) -> NodeSnapshot {
        let state = state_of(self.facts.load(Ordering::Acquire));
        let visits = self.visits.load(Ordering::Relaxed);
        let share = 1.0 / (visits.max(1) as f32 * UNIT);
        NodeSnapshot {
            state,
            visits,
            started: visits + self.in_flight.load(Ordering::Relaxed),
            average: scaled(&self.value_sum, share),
        }
    }

    pub(crate) fn depart(&self, count: u32, writers: Writers) {
        writers.count(&self.in_flight, count.cast_signed());
    }

    /// Cancels pending visits without counting them.
    pub(crate) fn abandon(&self, count: u32, writers: Writers) {
        writers.count(&self.in_flight, -count.cast_signed());
    }

    /// Counts a pending visit as finished, with its result. Returns the finished visits and their sums.
    pub(crate) fn arrive(&self, sums: Sums, writers: Writers) -> (u32, Sums) {
        // In flight first, then finished: for a moment the visit counts in neither, so a concurrent walk sees one visit too few
        // rather than one too many.
        writers.count(&self.in_flight, -1);
        let visits = writers.count(&self.visits, 1);
        (visits, self.add(sums, writers))
    }

    /// Adds to the sums and returns them.
    pub(crate) fn add(&self, sums: Sums, writers: Writers) -> Sums {
        Sums {
            value: writers.add(&self.value_sum, sums.value),
            draw: writers.add(&self.draw_sum, sums.draw),
            square: writers.add(&self.square_sum, sums.square),
        }
    }

    /// Wins the right to evaluate a node in this state, which has no edges; false if another thread has it.
    pub(crate) fn claim(&self, from: State) -> bool {
        let (from, claimed) = (from as u32, State::Claimed as u32);
        self.facts.compare_exchange(from, claimed, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Sets state and plies. Returns the state before.
    pub(crate) fn settle(&self, state: State, plies: u16) -> State {
        // The edge bits are kept as found: a proof leaves the edges readable for threads that are below them at this moment.
        let settled = state as u32 | u32::from(plies) << 16;
        let mut facts = self.facts.load(Ordering::Acquire);
        loop {
            let next = facts & EDGE_FACTS | settled;
            match self.facts.compare_exchange_weak(facts, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(before) => return state_of(before),
                Err(found) => facts = found,
            }
        }
    }

    /// Sets the finished visits and their average.
    #[cfg(test)]
    pub(crate) fn set_average(&self, visits: u32, value: f32) {
        self.visits.store(visits, Ordering::Relaxed);
        self.value_sum.store(Sums::of(value, 0.0).times(visits).value, Ordering::Relaxed);
    }

    pub(super) fn node(&self) -> Node {
        let facts = self.facts.load(Ordering::Acquire);
        let state = state_of(facts);
        let visits = self.visits.load(Ordering::Relaxed);
        let share = 1.0 / (visits.max(1) as f32 * UNIT);
        let (value, draw) =
            state.exact().unwrap_or_else(|| (scaled(&self.value_sum, share), scaled(&self.draw_sum, share)));
        Node {
            value,
            draw,
            square: scaled(&self.square_sum, share),
            visits,
            in_flight: self.in_flight.load(Ordering::Relaxed),
            plies: (facts >> 16) as u16,
            edge_count: (facts >> 8) as u8,
            state,
        }
    }

    /// Removes the edges. The visits and a proven result stay; any other state becomes [`State::Fresh`].
    pub(super) fn close(&self) {
        let state = self.state();
        let known = if state.exact().is_some() { state } else { State::Fresh };
        let plies = self.facts.load(Ordering::Acquire) & 0xffff_0000;
        self.facts.store(plies | known as u32, Ordering::Release);
    }

    /// Copies all fields of another node.
    pub(super) fn become_like(&self, other: &Self) {
        copy_sum(&other.value_sum, &self.value_sum);
        copy_sum(&other.draw_sum, &self.draw_sum);
        copy_sum(&other.square_sum, &self.square_sum);
        copy_word(&other.visits, &self.visits);
        copy_word(&other.in_flight, &self.in_flight);
        copy_word(&other.first_edge, &self.first_edge);
        copy_word(&other.facts, &self.facts);
    }
}

/// The facts of a node that is opened with these edges.
pub(super) fn open_facts(edges: &[Edge]) -> u32 {
    State::Open as u32 | (edges.len() as u32) << 8
}

fn state_of(facts: u32) -> State {
    State::ALL[(facts & 7) as usize]
}

fn scaled(sum: &AtomicI64, share: f32) -> f32 {
    sum.load(Ordering::Relaxed) as f32 * share
}

fn copy_sum(from: &AtomicI64, to: &AtomicI64) {
    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
}

fn copy_word(from: &AtomicU32, to: &AtomicU32) {
    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
}
