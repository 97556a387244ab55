//! One thread on its way through the tree: the part of a playout that does not depend on how leaves are evaluated.

use chess::Wdl;

use super::super::{
    backup::back_up,
    select::{Path, Selected, walk, walk_on},
    shared::{Shared, Statistics},
    tree::{Allocator, NodeId, Tree},
};
use crate::score::wdl_from;

/// A thread's path in the shared tree, with its own stock of nodes and counts.
pub(super) struct Walker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) path: Path,
    pub(super) stock: Allocator,
    /// Since the last [`report`](Self::report).
    pub(super) statistics: Statistics,
}

impl<'a> Walker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>) -> Self {
        let (path, stock, statistics) = Default::default();
        Self { shared, path, stock, statistics }
    }

    pub(super) fn tree(&self) -> &'a Tree {
        self.shared.parts.tree
    }

    /// Walks from the root to a leaf.
    pub(super) fn walk(&mut self) -> Selected {
        let (formula, writers) = (self.shared.formula(), self.shared.writers());
        walk(self.tree(), formula, &mut self.path, &mut self.stock, writers)
    }

    /// Walks on from a leaf that has edges now.
    pub(super) fn walk_on(&mut self) -> Selected {
        let (formula, writers) = (self.shared.formula(), self.shared.writers());
        walk_on(self.tree(), formula, &mut self.path, &mut self.stock, writers)
    }

    /// Reserves a visit and goes below the root by the move with this ordinal; false if there is no visit left.
    pub(super) fn go_below_root(&mut self, ordinal: usize) -> bool {
        let reserved = self.shared.reserve();
        if reserved {
            self.path.go_below_root(self.tree(), ordinal, &mut self.stock);
        }
        reserved
    }

    /// Visits the leaf of the path with this value, seen by its side to move.
    pub(super) fn visit(&mut self, wdl: Wdl) {
        back_up(self.tree(), &self.path.nodes, wdl, self.shared.writers());
        self.statistics.count_visit(self.path.line.len());
    }

    /// Visits the leaf of the path, whose value needs no evaluation.
    pub(super) fn visit_known(&mut self) {
        let node = self.tree().node(self.path.leaf());
        self.visit(wdl_from(node.value, node.draw).flipped());
    }

    /// Visits a leaf that an earlier walk went to, by its path from the root.
    pub(super) fn visit_earlier(&mut self, nodes: &[NodeId], wdl: Wdl) {
        back_up(self.tree(), nodes, wdl, self.shared.writers());
        self.statistics.count_visit(nodes.len() - 1);
    }

    /// Adds the counts to those of the search and returns the number of visits among them.
    pub(super) fn report(&mut self) -> u64 {
        let batch = std::mem::take(&mut self.statistics);
        self.shared.count(&batch);
        batch.visits
    }

    /// Gives unused nodes back.
    pub(super) fn rest(self) {
        self.tree().give_back(self.stock);
    }
}
