//! The search trees of all analyses, which share one memory limit.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chess::Search;

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

/// A network's id and the hash of its content: a tree does not go on with another network under the same id.
pub(super) type TreeNetwork = (String, Option<String>);

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

/// The right to hold a tree while it is searched.
pub(super) struct TreePermit(TreeStore);

impl TreeStore {
    /// Registers an analysis.
    pub(super) fn owner(&self) -> TreeOwner {
        let mut trees = self.trees();
        trees.next_owner += 1;
        TreeOwner { store: self.clone(), id: trees.next_owner }
    }

    fn trees(&self) -> MutexGuard<'_, Trees> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TreeOwner {
    /// Takes the owner's tree of a network, if it is still kept, with the permit to hold one. May discard
    /// other trees.
    pub(super) fn take(&self, network: &TreeNetwork) -> (TreePermit, Option<Box<dyn Search>>) {
        let (own, dropped) = {
            let mut trees = self.store.trees();
            trees.in_use += 1;
            let own = trees.remove(self.id);
            let excess = (trees.in_use + trees.idle.len()).saturating_sub(MOST_TREES);
            let excess = excess.min(trees.idle.len());
            (own, trees.idle.drain(..excess).collect::<Vec<_>>())
        };
        // Large trees take time to free, so not under the lock.
        drop(dropped);
        let search = own.filter(|tree| tree.network == *network).map(|tree| tree.search);
        (TreePermit(self.store.clone()), search)
    }

    /// Keeps a tree until the owner takes it again.
    pub(super) fn keep(&self, permit: TreePermit, network: TreeNetwork, search: Box<dyn Search>) {
        let tree = IdleTree { owner: self.id, network, search };
        self.store.trees().idle.push_back(tree);
        drop(permit);
    }
}

impl Drop for TreeOwner {
    fn drop(&mut self) {
        let own = self.store.trees().remove(self.id);
        drop(own);
    }
}

impl Drop for TreePermit {
    fn drop(&mut self) {
        self.0.trees().in_use -= 1;
    }
}

impl Trees {
    fn remove(&mut self, owner: u64) -> Option<IdleTree> {
        let place = self.idle.iter().position(|tree| tree.owner == owner)?;
        self.idle.remove(place)
    }
}
