//! The search trees of all analyses, which share one memory limit.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use chess::Search;

use crate::threads::locked;

/// Most trees in memory, in use and idle together: with their limit a gibibyte. At least as many as searches may run at the same time.
pub(super) const MOST_TREES: usize = 4;

/// Keeps the trees of paused analyses, so that they continue from there, and drops the least recently used when there are too
/// many.
#[derive(Clone, Default)]
pub(crate) struct TreeStore(Arc<Mutex<Trees>>);

#[derive(Default)]
struct Trees {
    next_owner: u64,
    in_use: usize,
    /// Least recently used first.
    idle: VecDeque<IdleTree>,
}

/// The network of a tree: one whose file was replaced is another network under the same id, with which the tree must not be
/// continued.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct TreeNetwork {
    pub(super) id: String,
    /// Hash of its content, if it has a file.
    pub(super) content: Option<String>,
}

struct IdleTree {
    owner: u64,
    network: TreeNetwork,
    search: Box<dyn Search>,
}

/// One analysis' access to the store. Dropping it discards the tree.
pub(super) struct TreeOwner {
    store: TreeStore,
    id: u64,
}

/// The right to hold a tree of a network while it is searched.
pub(super) struct TreePermit {
    store: TreeStore,
    network: TreeNetwork,
}

impl TreeStore {
    /// Registers an analysis.
    pub(super) fn owner(&self) -> TreeOwner {
        let mut trees = locked(&self.0);
        trees.next_owner += 1;
        TreeOwner { store: self.clone(), id: trees.next_owner }
    }
}

impl TreeOwner {
    /// Takes the owner's tree of a network, if it is still kept, with the permit to hold one. May discard
    /// other trees.
    pub(super) fn take(&self, network: TreeNetwork) -> (TreePermit, Option<Box<dyn Search>>) {
        let mut trees = locked(&self.store.0);
        trees.in_use += 1;
        let own = trees.remove(self.id);
        let excess = (trees.in_use + trees.idle.len()).saturating_sub(MOST_TREES);
        let excess = excess.min(trees.idle.len());
        let dropped: Vec<IdleTree> = trees.idle.drain(..excess).collect();
        // A tree of hundreds of megabytes takes time to free, which other analyses must not wait for.
        drop(trees);
        drop(dropped);
        let search = own.filter(|tree| tree.network == network).map(|tree| tree.search);
        (TreePermit { store: self.store.clone(), network }, search)
    }

    /// Keeps a tree until the owner takes it again.
    pub(super) fn keep(&self, permit: TreePermit, search: Box<dyn Search>) {
        let tree = IdleTree { owner: self.id, network: permit.network.clone(), search };
        locked(&self.store.0).idle.push_back(tree);
        // Only now: the tree counts as one in use until it is in the list, so that there are never more than the limit.
        drop(permit);
    }
}

impl Drop for TreeOwner {
    fn drop(&mut self) {
        let own = locked(&self.store.0).remove(self.id);
        drop(own);
    }
}

impl Drop for TreePermit {
    fn drop(&mut self) {
        locked(&self.store.0).in_use -= 1;
    }
}

impl Trees {
    fn remove(&mut self, owner: u64) -> Option<IdleTree> {
        let place = self.idle.iter().position(|tree| tree.owner == owner)?;
        self.idle.remove(place)
    }
}
