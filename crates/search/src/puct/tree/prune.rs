//! Makes room in a full tree: the subtrees below nodes with few visits are discarded, so a search in little memory continues
//! (node recycling: Powley, Cowling and Whitehouse, "Memory bounded Monte Carlo tree search", AIIDE 2017).

use std::sync::PoisonError;

use super::{
    super::numbers::{FIRST_PRUNED_VISITS, LEAST_PRUNED, PRUNED_SHARE},
    NodeId, ROOT, Tree,
    memory::{Allocator, NODE_BYTES},
};

/// Place at which pruning stopped. It goes round the tree like the hand of a clock, so each call costs only as much as it
/// frees: a look at every node of 200 MB takes a third of a second, too long for a player under a clock.
pub(super) struct PruneCursor {
    /// The ordinals of the edges from the root to where it stands.
    line: Vec<usize>,
    /// Nodes with at most this many visits lose what is below them. Doubled after a round that does not free enough.
    most: u32,
}

impl Default for PruneCursor {
    fn default() -> Self {
        Self { line: Vec::new(), most: FIRST_PRUNED_VISITS }
    }
}

/// Bytes still to be freed: in total, of nodes, of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wanted {
    bytes: usize,
    nodes: usize,
    edges: usize,
}

impl Wanted {
    fn reduce_by(&mut self, (nodes, edges): (usize, usize)) {
        self.bytes = self.bytes.saturating_sub(nodes + edges);
        self.nodes = self.nodes.saturating_sub(nodes);
        self.edges = self.edges.saturating_sub(edges);
    }
}

impl Tree {
    /// Discards the subtrees below nodes with few visits until a sixteenth of the memory is free, or half of a small one.
    /// Returns false if the tree is still full. The nodes themselves keep visits and values, and are opened again when next
    /// visited. Must not be called while helpers run.
    pub(crate) fn prune(&self) -> bool {
        let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stock = Allocator::default();
        let mut wanted = self.wanted();
        while !self.prune_on(&mut cursor, &mut wanted, &mut stock) {
            let Some(most) = cursor.most.checked_mul(2) else { break };
            cursor.most = most;
        }
        self.memory.give_back(stock);
        self.memory.join_free_runs();
        !self.is_full()
    }

    /// Moves the cursor on until what is wanted is free; false if it comes to the end of a round first.
    fn prune_on(&self, cursor: &mut PruneCursor, wanted: &mut Wanted, stock: &mut Allocator) -> bool {
        // Nodes on the way, each with the ordinal of the edge to look at next.
        let mut way: Vec<(NodeId, usize)> = vec![(ROOT, 0)];
        for &ordinal in &cursor.line {
            let Some((id, next)) = way.last_mut() else { break };
            let Some(child) = self.child(*id, ordinal) else { break };
            *next = ordinal + 1;
            way.push((child, 0));
        }
        while let Some((id, next)) = way.last_mut() {
            let Some(child) = self.child(*id, *next) else {
                way.pop();
                continue;
            };
            *next += 1;
            let node = self.node(child);
            if node.edge_count == 0 {
                continue;
            }
            if node.visits > cursor.most {
                way.push((child, 0));
                continue;
            }
            wanted.reduce_by(self.free_below(child, stock));
            self.raw(child).close();
            if *wanted == Wanted::default() {
                cursor.line = way.iter().map(|&(_, next)| next - 1).collect();
                return true;
            }
        }
        cursor.line.clear();
        false
    }

    /// Bytes to free: of all memory, and of nodes and edges, which are stored separately.
    fn wanted(&self) -> Wanted {
        let limit = self.byte_limit;
        let room = (limit / PRUNED_SHARE).max(LEAST_PRUNED).min(limit / 2);
        let (nodes, edges) = self.memory.free_bytes();
        Wanted {
            bytes: (self.live_bytes() + room).saturating_sub(limit),
            nodes: (self.memory.nodes.used() * NODE_BYTES / PRUNED_SHARE).saturating_sub(nodes),
            edges: (limit / PRUNED_SHARE).saturating_sub(edges),
        }
    }
}
