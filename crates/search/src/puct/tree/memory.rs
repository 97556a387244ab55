//! Allocation of nodes and edges. Each thread takes them from a stock of its own and refills it from the common
//! pool, which is behind a lock, once in a few hundred times.

use std::{
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use super::{
    super::numbers::{
        EDGE_CHUNK_BITS, EDGE_GRAIN, EDGE_SLAB, MOST_EXCESS_SHARE, MOST_LARGER_CHUNK_BITS, NODE_CHUNK_BITS,
        NODE_SLAB, RUNS, SLACK_BYTES, SMALL_TREE,
    },
    arena::Arena,
    node::RawNode,
};

pub(super) const NODE_BYTES: usize = size_of::<RawNode>();
pub(super) const EDGE_BYTES: usize = size_of::<AtomicU64>();

// Lengths of runs, in grains: a node has fewer than 256 edges, because their number is a byte of its facts.
const EDGE_CLASSES: usize = 256 / EDGE_GRAIN + 1;

/// The arenas and the common pool of what is free in them.
pub(crate) struct Memory {
    pub(super) nodes: Arena<RawNode>,
    pub(super) edges: Arena<AtomicU64>,
    pool: Mutex<Pool>,
    /// Handed out, the threads' stocks included.
    live_nodes: AtomicUsize,
    live_edges: AtomicUsize,
}

#[derive(Default)]
struct Pool {
    nodes: Vec<u32>,
    runs: Vec<Vec<u32>>,
    slabs: Vec<Range<u32>>,
}

/// Stock of free nodes and edges of one thread.
pub(crate) struct Allocator {
    nodes: Vec<u32>,
    runs: Vec<Vec<u32>>,
    slab: Range<u32>,
}

impl Default for Allocator {
    fn default() -> Self {
        Self { nodes: Vec::new(), runs: no_runs(), slab: 0..0 }
    }
}

impl Memory {
    pub(super) fn new(byte_limit: usize) -> Self {
        let room = byte_limit + byte_limit / MOST_EXCESS_SHARE + SLACK_BYTES;
        let larger = (byte_limit / SMALL_TREE).checked_ilog2().unwrap_or(0).min(MOST_LARGER_CHUNK_BITS);
        Self {
            nodes: Arena::new(room / NODE_BYTES, NODE_CHUNK_BITS + larger),
            edges: Arena::new(room / EDGE_BYTES, EDGE_CHUNK_BITS + larger),
            pool: Mutex::new(Pool { runs: no_runs(), ..Pool::default() }),
            live_nodes: AtomicUsize::new(0),
            live_edges: AtomicUsize::new(0),
        }
    }

    /// Takes everything back; the first node handed out is number 0 again.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        let pool = self.pool.get_mut().unwrap_or_else(PoisonError::into_inner);
        *pool = Pool { runs: no_runs(), ..Pool::default() };
        *self.live_nodes.get_mut() = 0;
        *self.live_edges.get_mut() = 0;
    }

    /// Bytes handed out, the threads' stocks included.
    pub(super) fn live_bytes(&self) -> usize {
        self.live_nodes.load(Ordering::Relaxed) * NODE_BYTES
            + self.live_edges.load(Ordering::Relaxed) * EDGE_BYTES
    }

    /// Bytes of nodes and of edges that were handed out before and are free again.
    pub(super) fn free_bytes(&self) -> (usize, usize) {
        let nodes = self.nodes.used().saturating_sub(self.live_nodes.load(Ordering::Relaxed));
        let edges = self.edges.used().saturating_sub(self.live_edges.load(Ordering::Relaxed));
        (nodes * NODE_BYTES, edges * EDGE_BYTES)
    }

    /// Bytes that were ever handed out since the last [`Memory::clear`].
    pub(super) fn arena_bytes(&self) -> usize {
        self.nodes.used() * NODE_BYTES + self.edges.used() * EDGE_BYTES
    }

    /// A node with whatever its last owner left in it.
    pub(super) fn take_node(&self, stock: &mut Allocator) -> u32 {
        if stock.nodes.is_empty() {
            let mut pool = self.pool();
            let from = pool.nodes.len().saturating_sub(NODE_SLAB as usize);
            stock.nodes.extend(pool.nodes.drain(from..));
            drop(pool);
            if stock.nodes.is_empty() {
                let first = self.nodes.grow(NODE_SLAB);
                stock.nodes.extend((first..first + NODE_SLAB).rev());
            }
            self.live_nodes.fetch_add(stock.nodes.len(), Ordering::Relaxed);
        }
        stock.nodes.pop().expect("it was filled above")
    }

    /// A run of at least `count` edges.
    pub(super) fn take_run(&self, count: usize, stock: &mut Allocator) -> u32 {
        let class = edge_class(count);
        if let Some(first) = stock.runs[class].pop() {
            return first;
        }
        let size = (class * EDGE_GRAIN) as u32;
        if (stock.slab.len() as u32) < size {
            self.refill(class, stock);
            if let Some(first) = stock.runs[class].pop() {
                return first;
            }
        }
        let first = stock.slab.start;
        stock.slab.start += size;
        first
    }

    /// Refills the stock with freed runs of this class or, if there are none, with a slab.
    fn refill(&self, class: usize, stock: &mut Allocator) {
        let mut pool = self.pool();
        let from = pool.runs[class].len().saturating_sub(RUNS);
        stock.runs[class].extend(pool.runs[class].drain(from..));
        let mut edges = stock.runs[class].len() * class * EDGE_GRAIN;
        if edges == 0 {
            // What is left of the old slab is too short for this run but right for others.
            let rest = stock.slab.len() / EDGE_GRAIN;
            if rest > 0 {
                stock.runs[rest].push(stock.slab.start);
            }
            let free = pool.slabs.pop().or_else(|| pool.take_longer(class));
            stock.slab = free.unwrap_or_else(|| {
                let first = self.edges.grow(EDGE_SLAB);
                first..first + EDGE_SLAB
            });
            edges = stock.slab.len();
        }
        self.live_edges.fetch_add(edges, Ordering::Relaxed);
    }

    /// Takes a node back into a stock.
    pub(super) fn return_node(node: u32, stock: &mut Allocator) {
        stock.nodes.push(node);
    }

    /// Takes a run of `count` edges back into a stock.
    pub(super) fn return_run(first: u32, count: usize, stock: &mut Allocator) {
        stock.runs[edge_class(count)].push(first);
    }

    /// Puts a stock into the pool.
    pub(super) fn give_back(&self, stock: Allocator) {
        let mut pool = self.pool();
        let mut edges = 0;
        for (class, runs) in stock.runs.into_iter().enumerate() {
            edges += runs.len() * class * EDGE_GRAIN;
            pool.runs[class].extend(runs);
        }
        // A slab shorter than the longest run would not serve for every run; kept as runs it is as good.
        let class = stock.slab.len() / EDGE_GRAIN;
        edges += stock.slab.len();
        if class >= EDGE_CLASSES {
            pool.slabs.push(stock.slab);
        } else if class > 0 {
            pool.runs[class].push(stock.slab.start);
        }
        self.live_edges.fetch_sub(edges, Ordering::Relaxed);
        self.live_nodes.fetch_sub(stock.nodes.len(), Ordering::Relaxed);
        pool.nodes.extend(stock.nodes);
    }

    /// Joins free runs that lie side by side, so that they serve for runs of other lengths.
    pub(super) fn join_free_runs(&self) {
        let mut pool = self.pool();
        let mut pieces = std::mem::take(&mut pool.slabs);
        for (class, runs) in pool.runs.iter_mut().enumerate() {
            let length = (class * EDGE_GRAIN) as u32;
            pieces.extend(runs.drain(..).map(|first| first..first + length));
        }
        pieces.sort_unstable_by_key(|piece| piece.start);
        let mut joined: Vec<Range<u32>> = Vec::new();
        for piece in pieces {
            // No run crosses from one slab into the next.
            let begins_slab = piece.start.is_multiple_of(EDGE_SLAB);
            match joined.last_mut() {
                Some(last) if last.end == piece.start && !begins_slab => last.end = piece.end,
                _ => joined.push(piece),
            }
        }
        for piece in joined {
            let class = piece.len() / EDGE_GRAIN;
            if class < EDGE_CLASSES { pool.runs[class].push(piece.start) } else { pool.slabs.push(piece) }
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // Nothing in here panics half-way.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// A free run that is longer than runs of this class.
    fn take_longer(&mut self, class: usize) -> Option<Range<u32>> {
        let longer = (class + 1..EDGE_CLASSES).find(|&longer| !self.runs[longer].is_empty())?;
        let first = self.runs[longer].pop()?;
        Some(first..first + (longer * EDGE_GRAIN) as u32)
    }
}

fn no_runs() -> Vec<Vec<u32>> {
    vec![Vec::new(); EDGE_CLASSES]
}

fn edge_class(count: usize) -> usize {
    count.div_ceil(EDGE_GRAIN)
}
