//! Makes room in a full tree: the subtrees visited least are forgotten, so that a search in little memory goes on (node
//! recycling: Powley, Cowling and Whitehouse, "Memory bounded Monte Carlo tree search", AIIDE 2017).

use std::collections::BTreeMap;

use super::{
    NodeId, ROOT, Tree,
    memory::{EDGE_BYTES, NODE_BYTES},
};

impl Tree {
    /// Forgets what lies below the least visited nodes: half of the memory in use, and enough for a quarter of all nodes to be
    /// free. False where the tree is full all the same. The nodes themselves keep visits and values, and are opened again when
    /// next visited. Not while helpers run.
    pub(crate) fn prune(&self) -> bool {
        let mut freed_by_visits: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        self.visit_opened(&mut |tree, id| {
            let (nodes, edges) = freed_by_visits.entry(tree.node(id).visits).or_default();
            *nodes += tree.child_ids(id).count() * NODE_BYTES;
            *edges += tree.run(id).len() * EDGE_BYTES;
            true
        });
        let (wanted, wanted_nodes) = (self.live_bytes() / 2, self.memory.nodes.used() * NODE_BYTES / 4);
        let (free_nodes, mut nodes, mut edges) = (self.memory.free_bytes().0, 0, 0);
        // A node has no more visits than its parent: whatever is below a pruned node would be pruned, too.
        let enough = freed_by_visits.into_iter().find(|&(_, freed)| {
            nodes += freed.0;
            edges += freed.1;
            nodes + edges >= wanted && free_nodes + nodes >= wanted_nodes
        });
        let most = enough.map_or(u32::MAX, |(visits, _)| visits);
        self.visit_opened(&mut |tree, id| {
            let kept = tree.node(id).visits > most;
            if !kept {
                tree.free_below(id);
                tree.raw(id).close();
            }
            kept
        });
        self.memory.join_free_runs();
        !self.is_full()
    }

    /// Calls `visit` with every node below the root that has edges; what is below it only where the answer is true.
    fn visit_opened(&self, visit: &mut dyn FnMut(&Self, NodeId) -> bool) {
        let mut pending: Vec<NodeId> = self.child_ids(ROOT).collect();
        while let Some(id) = pending.pop() {
            if self.node(id).edge_count > 0 && visit(self, id) {
                pending.extend(self.child_ids(id));
            }
        }
    }
}
