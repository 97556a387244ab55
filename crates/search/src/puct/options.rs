//! The options that are PUCT's own, and the constants of its exploration.

use crate::tunables::tunables;

/// Visits around which exploration starts to grow (lc0's default).
pub(crate) const CPUCT_BASE: f32 = 38_739.0;
/// Standard deviation of values at which exploration stays unchanged (Monty's value).
pub(crate) const CPUCT_DEVIATION: f32 = 0.28;

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

impl PuctOptions {
    /// The exploration constant of a node with `visits` visits: `c + f ln((N + b) / b)` (AlphaZero's pseudocode; lc0).
    ///
    /// The logarithm is libm's, so that with a policy temperature of 1 a search makes the same choices on every machine.
    pub(crate) fn exploration(&self, visits: u32) -> f32 {
        self.cpuct + self.cpuct_factor * libm::logf((visits as f32 + CPUCT_BASE) / CPUCT_BASE)
    }
}
