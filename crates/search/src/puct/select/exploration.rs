//! Exploration factor: the weight of the priors in a node's choice.

use crate::puct::{
    options::{CPUCT_DEVIATION, PuctOptions},
    tree::Node,
};

/// Nodes with fewer visits than this, nearly all of those that are passed, find their logarithm and square root in a table of
/// 16 KiB.
const TABLED: u32 = 4096;

/// The exploration factor under some options.
#[derive(Debug)]
pub(crate) struct Exploration {
    pub(crate) options: PuctOptions,
    growth: Box<[f32]>,
}

impl Exploration {
    pub(crate) fn new(options: PuctOptions) -> Self {
        let growth = (0..TABLED).map(|visits| growth(&options, visits)).collect();
        Self { options, growth }
    }

    /// Factor of a prior in the exploration term of a node: `c(N) sqrt(N') v(N)`, N' being the visits of its children.
    ///
    /// v scales with the standard deviation s of the results below the node: `1 + w (s' / s0 - 1)`, where s' is s, drawn
    /// towards s0 while the visits are few (Monty's `1 / (1 + 0.5 N)`; KataGo scales likewise): where all lines lead to the
    /// same result, there is less to explore.
    pub(crate) fn scale(&self, node: &Node) -> f32 {
        // Monty's warm-up.
        const WARM_UP: f32 = 0.5;
        // Where all results below a node are alike and the weight is large, some exploration stays. Chosen, not tuned.
        const LEAST: f32 = 0.1;
        let options = &self.options;
        let growth = self.growth.get(node.visits as usize).copied();
        let scale = growth.unwrap_or_else(|| self::growth(options, node.visits));
        if options.cpuct_variance == 0.0 {
            return scale;
        }
        let deviation = (node.square - node.value * node.value).max(0.0).sqrt() / CPUCT_DEVIATION;
        let ratio = deviation + (1.0 - deviation) / (1.0 + WARM_UP * node.visits as f32);
        scale * (1.0 + options.cpuct_variance * (ratio - 1.0)).max(LEAST)
    }
}

/// `c(N) sqrt(N')`.
fn growth(options: &PuctOptions, visits: u32) -> f32 {
    options.exploration(visits) * (visits.saturating_sub(1).max(1) as f32).sqrt()
}
