//! The tree, shared by all threads of a search: 40 bytes for a node, 8 for an edge, nothing ever moves.
//!
//! The edges of a node lie together, sorted by descending prior, one 64-bit word each: child, move and prior. The children
//! that exist are those of the first edges. Statistics are integers, so that threads add to them without a lock and the
//! sum does not depend on the order.
//!
//! # What threads may rely on
//! 1. A node's state goes from fresh to claimed (one thread wins the right to evaluate it) to open or to an end of the
//!    game, from there at most to proven, never back, while a search runs. Whoever reads a state with acquire ordering sees
//!    the edges that were written before it.
//! 2. An edge's child is set once. Whoever loses the race to create it uses the winner's.
//! 3. Everything else (freeing, promoting, reordering edges) happens between searches or before the helpers start.

mod arena;
mod memory;

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use self::memory::Memory;
use crate::packed::{PackedBonus, PackedMove, PackedPrior};

pub(crate) use memory::Allocator;

/// Where a node lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// The root is always the arena's first node, and so never a child.
pub(crate) const ROOT: NodeId = NodeId(0);

/// What is known about a node beyond its average value; always seen by the side to move at the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// Not evaluated yet.
    Fresh,
    /// A thread is evaluating it.
    Claimed,
    /// Evaluated, with edges.
    Open,
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
    const ALL: [Self; 7] =
        [Self::Fresh, Self::Claimed, Self::Open, Self::Drawn, Self::Repeated, Self::Won, Self::Lost];

    /// Whether the outcome with best play is known, whatever comes before in the search.
    pub(crate) fn is_proven(self) -> bool {
        matches!(self, Self::Won | Self::Lost | Self::Drawn)
    }

    /// Value and draw probability, for the side that moved in, of a node that needs no average.
    pub(crate) fn exact(self) -> Option<(f32, f32)> {
        match self {
            Self::Won => Some((-1.0, 0.0)),
            Self::Lost => Some((1.0, 0.0)),
            Self::Drawn | Self::Repeated => Some((0.0, 1.0)),
            Self::Fresh | Self::Claimed | Self::Open => None,
        }
    }
}

/// One in the fixed-point sums of a node: 2^30, so that 2^32 visits fit.
const UNIT: f32 = (1 << 30) as f32;

/// What the threads share of a node.
#[derive(Default)]
pub(crate) struct RawNode {
    /// Sum of the results for the side that moved *into* this node, in [`UNIT`]s.
    value_sum: AtomicI64,
    draw_sum: AtomicI64,
    square_sum: AtomicI64,
    visits: AtomicU32,
    /// Visits on their way, waiting for an evaluation.
    in_flight: AtomicU32,
    first_edge: AtomicU32,
    /// State in the lowest byte, number of edges in the next, plies above.
    facts: AtomicU32,
}

/// A node at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Average result, -1 to 1, for the side that moved *into* this node, so that its parent compares it directly.
    pub(crate) value: f32,
    /// Average draw probability.
    pub(crate) draw: f32,
    /// Average square of the results.
    pub(crate) square: f32,
    /// Finished visits.
    pub(crate) visits: u32,
    /// Visits on their way.
    pub(crate) in_flight: u32,
    /// Half-moves to mate or back to the repeated position, by [`Node::state`].
    pub(crate) plies: u16,
    pub(crate) edge_count: u8,
    pub(crate) state: State,
}

impl Node {
    /// Finished and pending visits.
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

    /// The same seen by the other side.
    pub(crate) fn flipped(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl RawNode {
    pub(crate) fn state(&self) -> State {
        state_of(self.facts.load(Ordering::Acquire))
    }

    /// Starts a visit.
    pub(crate) fn depart(&self, count: u32) {
        self.in_flight.fetch_add(count, Ordering::Relaxed);
    }

    /// Ends visits that led to nothing.
    pub(crate) fn abandon(&self, count: u32) {
        self.in_flight.fetch_sub(count, Ordering::Relaxed);
    }

    /// Ends a visit; the number of finished ones and their sums with this one.
    pub(crate) fn arrive(&self, sums: Sums) -> (u32, Sums) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        let visits = self.visits.fetch_add(1, Ordering::Relaxed) + 1;
        (visits, self.add(sums))
    }

    /// Adds to the sums; what they are afterwards.
    pub(crate) fn add(&self, sums: Sums) -> Sums {
        let add = |sum: &AtomicI64, addend: i64| sum.fetch_add(addend, Ordering::Relaxed) + addend;
        Sums {
            value: add(&self.value_sum, sums.value),
            draw: add(&self.draw_sum, sums.draw),
            square: add(&self.square_sum, sums.square),
        }
    }

    /// Wins the right to evaluate a fresh node; false where another thread has it.
    pub(crate) fn claim(&self) -> bool {
        let claimed = State::Claimed as u32;
        self.facts.compare_exchange(0, claimed, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Sets what is known of the node; the state it had before.
    pub(crate) fn settle(&self, state: State, plies: u16) -> State {
        let settled = |facts: u32| facts & 0xff00 | state as u32 | u32::from(plies) << 16;
        let mut facts = self.facts.load(Ordering::Acquire);
        loop {
            match self.facts.compare_exchange_weak(facts, settled(facts), Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(before) => return state_of(before),
                Err(found) => facts = found,
            }
        }
    }

    /// So many finished visits with this average.
    #[cfg(test)]
    pub(crate) fn set_average(&self, visits: u32, value: f32) {
        self.visits.store(visits, Ordering::Relaxed);
        self.value_sum.store(Sums::of(value, 0.0).times(visits).value, Ordering::Relaxed);
    }

    fn node(&self) -> Node {
        let facts = self.facts.load(Ordering::Acquire);
        let state = state_of(facts);
        let visits = self.visits.load(Ordering::Relaxed);
        let share = 1.0 / (visits.max(1) as f32 * UNIT);
        let mean = |sum: &AtomicI64| sum.load(Ordering::Relaxed) as f32 * share;
        let (value, draw) = state.exact().unwrap_or_else(|| (mean(&self.value_sum), mean(&self.draw_sum)));
        Node {
            value,
            draw,
            square: mean(&self.square_sum),
            visits,
            in_flight: self.in_flight.load(Ordering::Relaxed),
            plies: (facts >> 16) as u16,
            edge_count: (facts >> 8) as u8,
            state,
        }
    }

    /// Makes the node what another one is, or fresh.
    fn become_like(&self, other: &Self) {
        let copy =
            |to: &AtomicI64, from: &AtomicI64| to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        let copy_small =
            |to: &AtomicU32, from: &AtomicU32| to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        copy(&self.value_sum, &other.value_sum);
        copy(&self.draw_sum, &other.draw_sum);
        copy(&self.square_sum, &other.square_sum);
        copy_small(&self.visits, &other.visits);
        copy_small(&self.in_flight, &other.in_flight);
        copy_small(&self.first_edge, &other.first_edge);
        copy_small(&self.facts, &other.facts);
    }
}

fn state_of(facts: u32) -> State {
    State::ALL[(facts & 0xff) as usize % State::ALL.len()]
}

/// A legal move of an evaluated node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) chess_move: PackedMove,
    pub(crate) prior: PackedPrior,
    /// What hints add to the prior while the move is unvisited.
    pub(crate) bonus: PackedBonus,
    /// The node it leads to, where it exists.
    pub(crate) child: Option<NodeId>,
}

impl Edge {
    /// An edge that nobody followed yet.
    pub(crate) fn new(chess_move: PackedMove, prior: PackedPrior) -> Self {
        Self { chess_move, prior, bonus: PackedBonus::default(), child: None }
    }

    /// Reads an edge; its child, if any, is seen as its creator left it.
    pub(crate) fn load(word: &AtomicU64) -> Self {
        Self::unpack(word.load(Ordering::Acquire))
    }

    /// The prior after so many visits of the move, finished and pending, half of the bonus having faded after `fade`: a
    /// progressive bias (Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008).
    pub(crate) fn prior_after(&self, visits: u32, fade: f32) -> f32 {
        match self.bonus.get() {
            0.0 => self.prior.get(),
            bonus => self.prior.get() + bonus * fade / (fade + visits as f32),
        }
    }

    /// Whether its prior fades.
    pub(crate) fn has_bonus(&self) -> bool {
        self.bonus != PackedBonus::default()
    }

    /// The prior while the move is unvisited.
    pub(crate) fn first_prior(&self) -> f32 {
        self.prior.get() + self.bonus.get()
    }

    /// From the highest bit: 28 bits for the child, 5 for the bonus, 15 for the move, 16 for the prior. The largest `Hash`
    /// holds fewer than 2^28 nodes.
    fn unpack(word: u64) -> Self {
        let child = (word >> 36) as u32;
        Self {
            chess_move: PackedMove::from_bits((word >> 16) as u16 & 0x7fff),
            prior: PackedPrior::from_bits(word as u16),
            bonus: PackedBonus::from_bits((word >> 31) as u8),
            child: (child != 0).then_some(NodeId(child)),
        }
    }

    fn pack(self) -> u64 {
        let child = u64::from(self.child.map_or(0, |child| child.0)) << 36;
        let bonus = u64::from(self.bonus.bits()) << 31;
        child | bonus | u64::from(self.chess_move.bits()) << 16 | u64::from(self.prior.bits())
    }
}

const NODE_BYTES: usize = size_of::<RawNode>();
const EDGE_BYTES: usize = size_of::<AtomicU64>();

/// The tree.
pub(crate) struct Tree {
    memory: Memory,
    byte_limit: usize,
}

impl Tree {
    /// A tree with an unevaluated root that is full at `byte_limit`.
    pub(crate) fn new(byte_limit: usize) -> Self {
        let mut tree = Self { memory: Memory::new(byte_limit), byte_limit };
        tree.clear();
        tree
    }

    /// Forgets everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.memory.clear();
        let mut stock = Allocator::default();
        let root = self.memory.take_node(&mut stock);
        debug_assert_eq!(root, ROOT.0, "a cleared memory starts at the first node");
        self.raw(ROOT).become_like(&RawNode::default());
        self.give_back(stock);
    }

    /// What the threads share of a node.
    pub(crate) fn raw(&self, id: NodeId) -> &RawNode {
        self.memory.nodes.get(id.0)
    }

    /// A node as it is now.
    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.raw(id).node()
    }

    /// The words of a node's edges, sorted by descending prior from the first one without a child on.
    pub(crate) fn run(&self, id: NodeId) -> &[AtomicU64] {
        let raw = self.raw(id);
        let count = (raw.facts.load(Ordering::Acquire) >> 8) as u8;
        if count == 0 {
            return &[];
        }
        self.memory.edges.run(raw.first_edge.load(Ordering::Relaxed), usize::from(count))
    }

    /// The edges of a node as they are now.
    pub(crate) fn edges(&self, id: NodeId) -> Vec<Edge> {
        self.run(id).iter().map(Edge::load).collect()
    }

    /// Puts the edges of a node into another order, or changes their priors. Not while helpers run.
    pub(crate) fn set_edges(&self, id: NodeId, edges: &[Edge]) {
        for (word, edge) in self.run(id).iter().zip(edges) {
            word.store(edge.pack(), Ordering::Release);
        }
    }

    /// The children that exist, in the order of their edges.
    pub(crate) fn children(&self, id: NodeId) -> Vec<Node> {
        self.child_ids(id).map(|child| self.node(child)).collect()
    }

    /// Where the children lie that exist, in the order of their edges.
    pub(crate) fn child_ids(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.run(id).iter().map_while(|word| Edge::load(word).child)
    }

    /// The child below the edge with this ordinal.
    pub(crate) fn child(&self, id: NodeId, ordinal: usize) -> Option<NodeId> {
        Edge::load(self.run(id).get(ordinal)?).child
    }

    /// Bytes in use, with what the threads have in stock.
    pub(crate) fn live_bytes(&self) -> usize {
        self.memory.live_bytes()
    }

    /// Whether the tree may not grow any further. One batch may push it over its limit before this is asked again.
    pub(crate) fn is_full(&self) -> bool {
        let limit = self.byte_limit;
        self.live_bytes() >= limit || self.memory.arena_bytes() >= limit + limit / 8
    }

    /// Whether freed pieces fill the arenas, so that only [`Tree::clear`] makes room.
    pub(crate) fn is_fragmented(&self) -> bool {
        self.memory.arena_bytes() >= self.byte_limit
    }

    /// Fill in thousandths of the limit.
    pub(crate) fn fill(&self) -> u32 {
        (self.live_bytes().saturating_mul(1000) / self.byte_limit.max(1)).min(1000) as u32
    }

    /// Gives a claimed node its edges and opens it. `edges` are sorted by descending prior.
    pub(crate) fn open(&self, id: NodeId, edges: &[Edge], stock: &mut Allocator) {
        let first = self.memory.take_run(edges.len(), stock);
        for (word, edge) in self.memory.edges.run(first, edges.len()).iter().zip(edges) {
            word.store(edge.pack(), Ordering::Relaxed);
        }
        let raw = self.raw(id);
        raw.first_edge.store(first, Ordering::Relaxed);
        let facts = State::Open as u32 | (edges.len() as u32) << 8;
        raw.facts.store(facts, Ordering::Release);
    }

    /// The child below an edge, created where it is missing.
    pub(crate) fn child_or_new(&self, id: NodeId, ordinal: usize, stock: &mut Allocator) -> NodeId {
        let word = &self.run(id)[ordinal];
        let found = word.load(Ordering::Acquire);
        let edge = Edge::unpack(found);
        if let Some(child) = edge.child {
            return child;
        }
        let node = self.memory.take_node(stock);
        self.memory.nodes.get(node).become_like(&RawNode::default());
        let created = Edge { child: Some(NodeId(node)), ..edge };
        match word.compare_exchange(found, created.pack(), Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => NodeId(node),
            Err(winner) => {
                Memory::return_node(node, stock);
                Edge::unpack(winner).child.expect("only the child of an edge changes during a search")
            }
        }
    }

    /// Takes back what a thread has in stock.
    pub(crate) fn give_back(&self, stock: Allocator) {
        self.memory.give_back(stock);
    }

    /// Makes the child with this ordinal the root and frees everything that is not below it; false where there is none.
    pub(crate) fn promote(&mut self, ordinal: usize) -> bool {
        let Some(kept) = self.child(ROOT, ordinal) else { return false };
        let new_root = RawNode::default();
        new_root.become_like(self.raw(kept));
        // Below the old root the kept child counts as bare, so that only its relatives are freed.
        self.raw(kept).become_like(&RawNode::default());
        self.free_below(ROOT);
        self.raw(ROOT).become_like(&new_root);
        true
    }

    /// Turns a node back into an unevaluated one.
    pub(crate) fn forget(&mut self, id: NodeId) {
        self.free_below(id);
        self.raw(id).become_like(&RawNode::default());
    }

    /// Takes `visits` visits that were drawn away from a node.
    pub(crate) fn remove_draws(&mut self, id: NodeId, visits: u32) {
        let raw = self.raw(id);
        let left = raw.visits.load(Ordering::Relaxed).saturating_sub(visits).max(1);
        raw.visits.store(left, Ordering::Relaxed);
        raw.add(Sums::default().minus(Sums::of(0.0, 1.0).times(visits)));
    }

    fn free_below(&mut self, top: NodeId) {
        let mut stock = Allocator::default();
        let mut pending = vec![top];
        while let Some(id) = pending.pop() {
            let raw = self.raw(id);
            let count = self.run(id).len();
            if count == 0 {
                continue;
            }
            for child in self.child_ids(id) {
                pending.push(child);
                Memory::return_node(child.0, &mut stock);
            }
            Memory::return_run(raw.first_edge.load(Ordering::Relaxed), count, &mut stock);
        }
        self.give_back(stock);
    }
}

#[cfg(test)]
mod tests;
