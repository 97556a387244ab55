//! The tree in two arenas: 28 bytes for a visited node, 4 bytes for an unvisited edge.
//!
//! The edges of a node lie together, sorted by descending prior. The children that exist are those of the first edges
//! (a prefix), and they lie together too, in a block that doubles as the prefix grows: choosing a child reads two
//! short runs of memory. Because a block moves when it grows, paths are remembered as edge ordinals, not node numbers.

use super::packed::{PackedMove, PackedPrior};

/// Where a node lies until the next child is added anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// The root is always the arena's first node.
pub(crate) const ROOT: NodeId = NodeId(0);

/// What is known about a node beyond its average value; always seen by the side to move at the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not evaluated yet.
    Fresh,
    /// Evaluated, with edges.
    Open,
    /// Drawn by the rules whatever comes before it in the search.
    Drawn,
    /// Repeats a position of the search path; [`Node::plies`] half-moves back.
    Repeated,
    /// The side to move mates in at most [`Node::plies`] half-moves.
    Won,
    /// The side to move is mated in at most [`Node::plies`] half-moves; now, where that is 0.
    Lost,
}

/// A visited position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Average result, -1 to 1, for the side that moved *into* this node, so that its parent compares it directly.
    ///
    /// A running average in single precision: its error stays near 1e-5 up to 10^7 visits.
    pub(crate) value: f32,
    /// Average draw probability.
    pub(crate) draw: f32,
    /// Finished visits.
    pub(crate) visits: u32,
    first_child: u32,
    first_edge: u32,
    /// Visits on their way, waiting for an evaluation.
    pub(crate) in_flight: u16,
    /// Half-moves to mate or back to the repeated position, by [`Node::state`].
    pub(crate) plies: u16,
    pub(crate) edge_count: u8,
    pub(crate) child_count: u8,
    pub(crate) state: State,
    /// Binary logarithm of the capacity of the block of children.
    block_order: u8,
}

impl Node {
    const FRESH: Self = Self {
        value: 0.0,
        draw: 0.0,
        visits: 0,
        first_child: 0,
        first_edge: 0,
        in_flight: 0,
        plies: 0,
        edge_count: 0,
        child_count: 0,
        state: State::Fresh,
        block_order: 0,
    };

    /// Finished and pending visits.
    pub(crate) fn started(&self) -> u32 {
        self.visits + u32::from(self.in_flight)
    }
}

/// A legal move of an evaluated node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) chess_move: PackedMove,
    pub(crate) prior: PackedPrior,
}

const NODE_BYTES: usize = size_of::<Node>();
const EDGE_BYTES: usize = size_of::<Edge>();
const BLOCK_ORDERS: usize = 9;
// Edge runs are rounded up to multiples of this, so that freed ones fit more often.
const EDGE_GRAIN: usize = 4;
const EDGE_CLASSES: usize = 256 / EDGE_GRAIN + 1;

/// The arenas with their free lists.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    free_blocks: [Vec<u32>; BLOCK_ORDERS],
    free_edges: [Vec<u32>; EDGE_CLASSES],
    freed_bytes: usize,
    byte_limit: usize,
}

impl Tree {
    /// A tree with an unevaluated root that is full at `byte_limit`.
    pub(crate) fn new(byte_limit: usize) -> Self {
        Self {
            nodes: vec![Node::FRESH],
            edges: Vec::new(),
            free_blocks: std::array::from_fn(|_| Vec::new()),
            free_edges: std::array::from_fn(|_| Vec::new()),
            freed_bytes: 0,
            byte_limit,
        }
    }

    /// Forgets everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::FRESH);
        self.edges.clear();
        self.free_blocks.iter_mut().for_each(Vec::clear);
        self.free_edges.iter_mut().for_each(Vec::clear);
        self.freed_bytes = 0;
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The edges of a node, sorted by descending prior from [`Node::child_count`] on.
    pub(crate) fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        &self.edges[node.first_edge as usize..][..usize::from(node.edge_count)]
    }

    /// The edges of a node for reordering; the order of those that have children must stay.
    pub(crate) fn edges_mut(&mut self, id: NodeId) -> &mut [Edge] {
        let node = *self.node(id);
        &mut self.edges[node.first_edge as usize..][..usize::from(node.edge_count)]
    }

    /// The children that exist, in the order of their edges.
    pub(crate) fn children(&self, id: NodeId) -> &[Node] {
        let node = self.node(id);
        &self.nodes[node.first_child as usize..][..usize::from(node.child_count)]
    }

    /// The child below the edge with this ordinal, which must exist.
    pub(crate) fn child(&self, id: NodeId, ordinal: usize) -> NodeId {
        debug_assert!(ordinal < usize::from(self.node(id).child_count));
        NodeId(self.node(id).first_child + ordinal as u32)
    }

    /// Bytes in use, free list entries not counted.
    pub(crate) fn live_bytes(&self) -> usize {
        self.arena_bytes() - self.freed_bytes
    }

    /// Whether the tree may not grow any further. One batch may push it over its limit before this is asked again.
    pub(crate) fn is_full(&self) -> bool {
        self.live_bytes() >= self.byte_limit || self.arena_bytes() >= self.byte_limit + self.byte_limit / 8
    }

    /// Whether freed pieces fill the arenas, so that only [`Tree::clear`] makes room.
    pub(crate) fn is_fragmented(&self) -> bool {
        self.arena_bytes() >= self.byte_limit
    }

    /// Fill in thousandths of the limit.
    pub(crate) fn fill(&self) -> u32 {
        (self.live_bytes().saturating_mul(1000) / self.byte_limit.max(1)).min(1000) as u32
    }

    /// Gives an unevaluated node its edges and opens it. `edges` are sorted by descending prior.
    pub(crate) fn open(&mut self, id: NodeId, edges: &[Edge]) {
        let class = edge_class(edges.len());
        let first = if let Some(first) = self.free_edges[class].pop() {
            self.freed_bytes -= class * EDGE_GRAIN * EDGE_BYTES;
            let start = first as usize;
            self.edges[start..start + edges.len()].copy_from_slice(edges);
            first
        } else {
            let first = self.edges.len() as u32;
            self.edges.extend_from_slice(edges);
            // The filler is never read: it only keeps runs of one class interchangeable.
            let missing = class * EDGE_GRAIN - edges.len();
            self.edges.extend(edges.first().into_iter().cycle().take(missing).copied());
            first
        };
        let node = self.node_mut(id);
        node.first_edge = first;
        node.edge_count = edges.len() as u8;
        node.state = State::Open;
    }

    /// Creates the child of the first edge that has none.
    pub(crate) fn add_child(&mut self, parent: NodeId) -> NodeId {
        let Node { child_count, block_order, first_child, .. } = *self.node(parent);
        let count = u32::from(child_count);
        if count == 0 {
            let block = self.allocate_block(0);
            let node = self.node_mut(parent);
            node.first_child = block;
            node.block_order = 0;
        } else if count == 1 << block_order {
            let block = self.allocate_block(usize::from(block_order) + 1);
            let old = first_child as usize;
            self.nodes.copy_within(old..old + count as usize, block as usize);
            self.free_block(first_child, usize::from(block_order));
            let node = self.node_mut(parent);
            node.first_child = block;
            node.block_order = block_order + 1;
        }
        let node = self.node_mut(parent);
        node.child_count += 1;
        let child = NodeId(node.first_child + count);
        *self.node_mut(child) = Node::FRESH;
        child
    }

    /// Makes the child with this ordinal the root and frees everything that is not below it.
    pub(crate) fn promote(&mut self, ordinal: usize) {
        let kept = self.child(ROOT, ordinal);
        let new_root = *self.node(kept);
        // Below the old root the kept child counts as bare, so that only its relatives are freed.
        *self.node_mut(kept) = Node::FRESH;
        self.free_below(*self.node(ROOT));
        *self.node_mut(ROOT) = new_root;
    }

    /// Turns a node back into an unevaluated one.
    pub(crate) fn forget(&mut self, id: NodeId) {
        let node = *self.node(id);
        self.free_below(node);
        *self.node_mut(id) = Node::FRESH;
    }

    fn arena_bytes(&self) -> usize {
        self.nodes.len() * NODE_BYTES + self.edges.len() * EDGE_BYTES
    }

    fn free_below(&mut self, top: Node) {
        let mut pending = vec![top];
        while let Some(node) = pending.pop() {
            if node.edge_count > 0 {
                let class = edge_class(usize::from(node.edge_count));
                self.free_edges[class].push(node.first_edge);
                self.freed_bytes += class * EDGE_GRAIN * EDGE_BYTES;
            }
            if node.child_count > 0 {
                let first = node.first_child as usize;
                let children = &self.nodes[first..first + usize::from(node.child_count)];
                pending.extend(children.iter().filter(|child| child.edge_count > 0));
                self.free_block(node.first_child, usize::from(node.block_order));
            }
        }
    }

    fn free_block(&mut self, first: u32, order: usize) {
        self.free_blocks[order].push(first);
        self.freed_bytes += NODE_BYTES << order;
    }

    /// A block of `1 << order` nodes: a freed one, a half of a larger freed one, or new memory.
    fn allocate_block(&mut self, order: usize) -> u32 {
        let available = (order..BLOCK_ORDERS).find(|&larger| !self.free_blocks[larger].is_empty());
        let reused = available.and_then(|larger| self.free_blocks[larger].pop().map(|first| (first, larger)));
        let Some((first, larger)) = reused else {
            let first = self.nodes.len() as u32;
            self.nodes.resize(self.nodes.len() + (1 << order), Node::FRESH);
            return first;
        };
        for smaller in order..larger {
            self.free_blocks[smaller].push(first + (1 << smaller));
        }
        self.freed_bytes -= NODE_BYTES << order;
        first
    }
}

fn edge_class(count: usize) -> usize {
    count.div_ceil(EDGE_GRAIN)
}

#[cfg(test)]
mod tests;
