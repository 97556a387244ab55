//! The tree, shared by all threads of a search: 40 bytes per node, 8 per edge, and nothing ever moves.
//!
//! The edges of a node lie together, sorted by descending prior, one 64-bit word each: child, move and prior. The children
//! that exist are those of the first edges. Statistics are integers, so that threads add to them without a lock and the
//! sum does not depend on the order.
//!
//! # What threads may rely on
//! 1. A node's state goes from fresh to claimed (one thread wins the right to evaluate it) to open or to an end of the
//!    game, from there at most to proven, never back, while threads run. Where values and priors are requested separately,
//!    it goes from claimed to valued first and is claimed a second time for the priors. A thread that reads a state with acquire
//!    ordering sees the edges that were written before it.
//! 2. An edge's child is set once. A thread that loses the race to create it uses the winner's.
//! 3. Everything else (freeing, promoting, reordering edges) happens while no helper runs.
//!
//! ```text
//! Fresh --claim--> Claimed --open-----> Open --prove--> Won | Lost | Drawn
//!                   |    |
//!                   |    +---settle---> Won | Lost | Drawn | Repeated          the rules or the tables decide
//!                   +--------settle---> Valued --claim--> Claimed --open--> ..  priors follow later
//! ```
//!
//! # How writes become visible
//!
//! - The edges of a node: [`Tree::open`] stores the words and `first_edge`, then `facts` with their number (release).
//!   [`Tree::run`] reads `facts` first (acquire).
//! - A new node: [`Tree::child_or_new`] resets its fields, then puts its number into the edge by compare-and-swap (release).
//!   [`Edge::load`] reads the edge with acquire.
//! - A proof: `RawNode::settle` exchanges the one word `facts`. The exchange also acquires, so a thread that reads the proof sees the edges
//!   that another one opened.
//! - Statistics: by nothing. They are relaxed.
//!
//! The three sums, the visits and those in flight are words of their own, so a reader may find a visit whose value is not added
//! yet. Such an average is off by the visits that are being backed up at this moment, which selection tolerates: it also acts on
//! values that the next visit changes. What may not be lost is an addition, and none is: each is atomic, or there is only one
//! writer ([`Writers`]). Nothing else is published through them, so they need no ordering.
//!
//! A lock per node would be held on every node of every walk, and all walks begin at the root: threads would queue where they now
//! only share a cache line.

mod arena;
mod edge;
mod memory;
mod node;
mod prune;

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use self::{
    memory::{EDGE_BYTES, Memory, NODE_BYTES},
    prune::PruneCursor,
};

use super::numbers::{EXCESS_SHARE, MOST_EXCESS_SHARE, NOTHING_FREE_SHARE, STOCKS};

pub(crate) use {
    edge::Edge,
    memory::Allocator,
    node::{Node, RawNode, State, Sums, TABLE_PLIES, Writers},
};

/// Index of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// The root is always the arena's first node, and so never a child.
pub(crate) const ROOT: NodeId = NodeId(0);

pub(crate) struct Tree {
    memory: Memory,
    byte_limit: usize,
    /// The node at which pruning continues.
    cursor: Mutex<PruneCursor>,
}

impl Tree {
    /// A tree with an unevaluated root that is full at `byte_limit`.
    pub(crate) fn new(byte_limit: usize) -> Self {
        let mut tree = Self { memory: Memory::new(byte_limit), byte_limit, cursor: Mutex::default() };
        tree.clear();
        tree
    }

    /// Forgets everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.memory.clear();
        self.cursor = Mutex::default();
        let mut stock = Allocator::default();
        let root = self.memory.take_node(&mut stock);
        debug_assert_eq!(root, ROOT.0, "a cleared memory starts at the first node");
        self.raw(ROOT).become_like(&RawNode::default());
        self.give_back(stock);
    }

    /// The part of a node that threads share.
    pub(crate) fn raw(&self, id: NodeId) -> &RawNode {
        self.memory.nodes.get(id.0)
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.raw(id).node()
    }

    /// The words of a node's edges, sorted by descending prior from the first one without a child on.
    pub(crate) fn run(&self, id: NodeId) -> &[AtomicU64] {
        let raw = self.raw(id);
        // The acquire pairs with the release in `open`. `first_edge` may be relaxed: it was stored before, and is not stored
        // again while threads run.
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

    /// Ids of the existing children, in the order of their edges.
    pub(crate) fn child_ids(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.run(id).iter().map_while(|word| Edge::load(word).child)
    }

    /// The child below the edge with this ordinal.
    pub(crate) fn child(&self, id: NodeId, ordinal: usize) -> Option<NodeId> {
        Edge::load(self.run(id).get(ordinal)?).child
    }

    /// Bytes in use, including the threads' stocks.
    pub(crate) fn live_bytes(&self) -> usize {
        self.memory.live_bytes()
    }

    /// True if the tree may not grow any further. One batch may push it over its limit before the limit is checked again. Nodes and
    /// edges lie apart, so free memory of one is of no use to the other.
    pub(crate) fn is_full(&self) -> bool {
        let (limit, used) = (self.byte_limit, self.memory.arena_bytes());
        let (nodes, edges) = self.memory.free_bytes();
        let nothing_free = nodes < self.memory.nodes.used() * NODE_BYTES / NOTHING_FREE_SHARE
            || edges < limit / NOTHING_FREE_SHARE;
        self.live_bytes() >= limit
            || used >= limit + limit / MOST_EXCESS_SHARE + STOCKS
            || (used >= limit + limit / EXCESS_SHARE && nothing_free)
    }

    /// True if freed pieces fill the arenas, so that [`Tree::clear`] makes more room than it loses.
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
        raw.facts.store(node::open_facts(edges), Ordering::Release);
    }

    /// The child below an edge, created if missing.
    pub(crate) fn child_or_new(&self, id: NodeId, ordinal: usize, stock: &mut Allocator) -> NodeId {
        let word = &self.run(id)[ordinal];
        let found = word.load(Ordering::Acquire);
        let edge = Edge::unpack(found);
        if let Some(child) = edge.child {
            return child;
        }
        // Memory of an earlier owner: all fields are reset, with relaxed stores, before the exchange below publishes the number.
        // Until then no other thread knows it, so a loser returns the node to its stock as if nothing had happened.
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

    /// Makes the child with this ordinal the root and frees everything that is not below it; false if there is no such child.
    pub(crate) fn promote(&mut self, ordinal: usize) -> bool {
        let Some(kept) = self.child(ROOT, ordinal) else { return false };
        self.cursor = Mutex::default();
        // The root always has number 0 (an edge with child 0 has none), so the kept node is copied to it instead of renumbering
        // the tree.
        let new_root = RawNode::default();
        new_root.become_like(self.raw(kept));
        // Below the old root the kept child counts as bare, so that only its relatives are freed.
        self.raw(kept).become_like(&RawNode::default());
        self.free_all_below(ROOT);
        self.raw(ROOT).become_like(&new_root);
        true
    }

    /// Turns a node back into an unevaluated one.
    pub(crate) fn forget(&mut self, id: NodeId) {
        self.free_all_below(id);
        self.raw(id).become_like(&RawNode::default());
    }

    /// Removes `visits` drawn visits from a node.
    pub(crate) fn remove_draws(&mut self, id: NodeId, visits: u32) {
        let raw = self.raw(id);
        let left = raw.visits.load(Ordering::Relaxed).saturating_sub(visits).max(1);
        raw.visits.store(left, Ordering::Relaxed);
        raw.add(Sums::default().minus(Sums::of(0.0, 1.0).times(visits)), Writers::One);
    }

    fn free_all_below(&self, top: NodeId) {
        let mut stock = Allocator::default();
        self.free_below(top, &mut stock);
        self.give_back(stock);
    }

    /// Takes the nodes and edges below a node into a stock. Returns their bytes.
    fn free_below(&self, top: NodeId, stock: &mut Allocator) -> (usize, usize) {
        let (mut nodes, mut edges) = (0, 0);
        let mut pending = vec![top];
        while let Some(id) = pending.pop() {
            let raw = self.raw(id);
            let count = self.run(id).len();
            if count == 0 {
                continue;
            }
            for child in self.child_ids(id) {
                pending.push(child);
                Memory::return_node(child.0, stock);
                nodes += NODE_BYTES;
            }
            Memory::return_run(raw.first_edge.load(Ordering::Relaxed), count, stock);
            edges += count * EDGE_BYTES;
        }
        (nodes, edges)
    }
}

#[cfg(test)]
mod tests;
