//! Every number of the search: first those that can be set, with their defaults, then the constants in the order in which a search
//! meets them. Each says where its value comes from; "chosen, not tuned" means that no games decided it.
//!
//! Numbers that follow from a storage format (bits of a word, the unit of a sum) are not here but where it is packed and
//! unpacked.

use std::time::Duration;

use chess::MOST_MOVES;

use crate::tunables::tunables;

// `CPuct`, `FpuReduction` and `CPuctVariance` were tuned by SPSA, together with `PolicyTemperature` and `MaterialPrior` of the hints,
// for a network of 6x64 at 300 nodes. The five against lc0's values: +45 Elo (+20 to +72) in 400 games at 256 nodes, with openings
// that the tuning had not seen; `CPuct` and `CPuctVariance` alone +10 (-17 to +37) (`docs/experiments/search-tuning.md`). The tuning
// saw no other network and no larger number of nodes.
tunables! {
    /// Selection and the tree; the defaults suit one thread on a CPU.
    PuctOptions

    "CPuct" cpuct: f32 = 1.3 in 0.0, 100.0;
    "Exploration: weight of the prior against the value at few visits (lc0: 1.745)."

    "CPuctFactor" cpuct_factor: f32 = 3.894 in 0.0, 1000.0;
    "How fast exploration grows with the logarithm of the visits (lc0's default)."

    "FpuReduction" fpu_reduction: f32 = 0.3 in -100.0, 100.0;
    "First-play urgency: an unvisited move has its parent's value minus this times the square root of the visited prior (lc0: 0.33)."

    "CPuctVariance" cpuct_variance: f32 = 0.35 in 0.0, 1.0;
    "How far exploration follows the spread of the values below a node: 0 not at all, 1 in proportion (Monty: 0.81)."

    "MiniBatchSize" mini_batch_size: u64 = 0 in 0, 1024;
    "Positions evaluated at the same time, divided equally among the threads. 0 takes what the evaluator prefers; that may be single positions, whose priors are computed only when they are visited again. Small batches search better, large ones keep a GPU busy."

    "Branches" branches: u64 = 0 in 0, 1000;
    "Number of most visited nodes that each report lists, for programs that draw the tree; 0 for none."

    "TreeReuse" tree_reuse: bool = true in false, true;
    "Keep the part of the tree below the moves played for the next search."
}

tunables! {
    /// Amount of the root noise.
    NoiseOptions

    "NoiseEpsilon" epsilon: f32 = 0.0 in 0.0, 1.0;
    "Share of Dirichlet noise in the priors of the root; 0 for none, 0.25 in AlphaZero's self-play."
}

tunables! {
    /// Gumbel search at the root.
    GumbelOptions

    "GumbelMoves" moves: u64 = 0 in 0, MOST_MOVES as u64;
    "Root moves drawn by Gumbel's trick, of which sequential halving leaves one; 0 for PUCT at the root. For node limits of a few dozen."

    "GumbelNoise" noise: f32 = 1.0 in 0.0, 1.0;
    "Factor of the Gumbel variates: 1 draws, for self-play; 0 takes the moves with the largest priors."
}

// Selection.

/// Visits around which exploration starts to grow (lc0's default).
pub(super) const CPUCT_BASE: f32 = 38_739.0;
/// Standard deviation of values at which exploration stays unchanged (Monty's value).
pub(super) const CPUCT_DEVIATION: f32 = 0.28;
/// Share of a visit with which the deviation found below a node counts against [`CPUCT_DEVIATION`] (Monty's warm-up).
pub(super) const DEVIATION_WARM_UP: f32 = 0.5;
/// Least factor of exploration where all results below a node are alike. Chosen, not tuned.
pub(super) const LEAST_SPREAD_FACTOR: f32 = 0.1;
/// Nodes with fewer visits than this, nearly all of those that are passed, find their logarithm and square root in a table. Chosen
/// for the table's size, 16 KiB.
pub(super) const TABLED_VISITS: u32 = 4096;
/// The longest line; a leaf at this depth is not opened. Chosen, not tuned: far beyond any line that matters, it bounds paths and
/// recursion.
pub(super) const MAX_DEPTH: usize = 512;

// Playouts.

/// Visits in flight may not exceed one over this of the tree's visits: in-tree batches cost strength while the tree is small (1,600
/// visits: -67 to -135 Elo in Go for batches of 5 and 10, leela-zero pull request 2253). The number is chosen, not tuned.
pub(super) const TREE_SHARE: u64 = 16;
/// Visits of leaves whose value is known cost no evaluation; after this many, gathering a batch ends, so that the clock is looked
/// at. Chosen, not tuned.
pub(super) const KNOWN_PER_BATCH: u32 = 64;
/// Visits of single positions between two looks at the clock: about a millisecond. Chosen, not tuned.
pub(super) const VISITS_A_BATCH: u64 = 256;

// The root.

/// Concentration of the root noise (AlphaZero's value for chess).
pub(super) const NOISE_ALPHA: f32 = 0.3;
/// Constant c of sigma(q) in Gumbel search: weight of a value relative to the prior before any visit (the paper's value).
pub(super) const GUMBEL_VALUE_VISITS: f32 = 50.0;
/// Stands in Gumbel search for priors that were rounded to zero, which have no logarithm. Chosen, not tuned.
pub(super) const GUMBEL_LEAST_PRIOR: f32 = 1e-9;
/// Node limit beyond which a Gumbel plan is not made longer; further visits go to the best move. Chosen for the plan's memory,
/// 400 kB: sequential halving is for few visits.
pub(super) const MOST_PLANNED: u64 = 100_000;
/// A move was seriously tried if it has at least one over this of the favourite's visits. Chosen, not tuned: below a tenth its value
/// is too noisy to think longer about it, or to prefer it to the favourite.
pub(super) const SERIOUS_SHARE: u32 = 10;
/// Expected result (-1 to 1) from which a side has better moves than a repetition ... Chosen, not tuned.
pub(super) const WINNING: f32 = 0.5;
/// ... and how much of it the side may give up, for a move that was seriously tried. Chosen, not tuned.
pub(super) const REPETITION_TOLERANCE: f32 = 0.1;

// The end of a search.

/// Visits in a row without a new evaluation after which the rest of the tree counts as solved. Chosen, not tuned.
pub(super) const EXHAUSTED_AFTER: u64 = 10_000;
/// Least visits and time from which the speed of the search is trusted (lc0: smart pruning's tolerances).
pub(super) const SPEED_VISITS: u64 = 300;
pub(super) const SPEED_TIME: Duration = Duration::from_millis(20);

// Reports and waits: chosen, not tuned.

/// Changes are reported at most this often; a report is made at least every `GeneralOptions::report_interval`.
pub(super) const REPORT_CHANGES_EVERY: Duration = Duration::from_millis(50);
/// Interval at which the stop signal is polled when there is nothing left to search.
pub(super) const STOP_WAIT: Duration = Duration::from_millis(1);
/// Sleep of a thread, helper or main, that could not start a visit: all are reserved, or the tree is full.
pub(super) const VISIT_WAIT: Duration = Duration::from_micros(50);
/// Nodes deeper than this are not listed for programs that draw the tree ...
pub(super) const DEEPEST_BRANCH: u32 = 12;
/// ... nor those with less than one part in this number of the root's visits: as much as a page can draw and a reader can follow.
pub(super) const LEAST_BRANCH_SHARE: u32 = 200;

// Memory: chosen for the sizes given, not tuned.

/// One part in this number of the memory holds evaluations, which is about as many as the rest holds nodes.
pub(super) const CACHE_SHARE: usize = 4;
/// Room for what 64 threads have in stock.
pub(super) const STOCKS: usize = 4 << 20;
/// Beyond its limit, the memory ever handed out may grow by one part in this number of the limit, with [`STOCKS`] on top ...
pub(super) const MOST_EXCESS_SHARE: usize = 4;
/// ... but only by one part in this number if nothing of it is free, ...
pub(super) const EXCESS_SHARE: usize = 8;
/// ... which means less than one part in this number.
pub(super) const NOTHING_FREE_SHARE: usize = 32;
/// Pruning frees one part in this number of a full tree, ...
pub(super) const PRUNED_SHARE: usize = 16;
/// ... and at least this, unless a small tree does not hold so much: what 64 threads take into stock, and more.
pub(super) const LEAST_PRUNED: usize = 4 << 20;
/// Nodes with at most this many visits are the first that pruning closes. Doubled after a round that does not free enough.
pub(super) const FIRST_PRUNED_VISITS: u32 = 2;
/// Edge runs are rounded up to multiples of this, so that freed ones fit more often.
pub(super) const EDGE_GRAIN: usize = 4;
/// Chunks hold 4096 nodes or 32768 edges; up to sixteen times as many in trees larger than [`SMALL_TREE`], whose table of chunks
/// would otherwise fall out of the processor's first-level cache.
pub(super) const NODE_CHUNK_BITS: u32 = 12;
pub(super) const EDGE_CHUNK_BITS: u32 = 15;
pub(super) const MOST_LARGER_CHUNK_BITS: u32 = 4;
pub(super) const SMALL_TREE: usize = 4 << 20;
/// What a thread takes at a time: 10 KiB of nodes, 32 KiB of edges.
pub(super) const NODE_SLAB: u32 = 256;
pub(super) const EDGE_SLAB: u32 = 4096;
/// Freed runs of edges of one size that a thread takes at a time.
pub(super) const RUNS: usize = 32;
/// Room beyond the limit for what the threads' last batches still add: 64 threads with batches of 1024 need less.
pub(super) const SLACK_BYTES: usize = 256 << 20;
