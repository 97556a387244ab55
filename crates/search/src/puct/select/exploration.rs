//! Exploration factor: the weight of the priors in a node's choice.

use crate::puct::{
    numbers::{
        CPUCT_BASE, CPUCT_DEVIATION, DEVIATION_WARM_UP, LEAST_SPREAD_FACTOR, PuctOptions, TABLED_VISITS,
    },
    tree::Node,
};

impl PuctOptions {
    /// The exploration constant of a node with `visits` visits: `c + f ln((N + b) / b)` (AlphaZero's pseudocode; lc0).
    ///
    /// The logarithm is libm's, so that with a policy temperature of 1 a search makes the same choices on every machine.
    pub(crate) fn exploration(&self, visits: u32) -> f32 {
        self.cpuct + self.cpuct_factor * libm::logf((visits as f32 + CPUCT_BASE) / CPUCT_BASE)
    }
}

/// The exploration factor under some options.
#[derive(Debug)]
pub(crate) struct Exploration {
    pub(crate) options: PuctOptions,
    /// [`growth`] by visits.
    growth: Box<[f32]>,
}

impl Exploration {
    pub(crate) fn new(options: PuctOptions) -> Self {
        let growth = (0..TABLED_VISITS).map(|visits| growth(&options, visits)).collect();
        Self { options, growth }
    }

    /// Factor of a prior in the exploration term of a node: `c(N) sqrt(N') v(N)`, N' being the visits of its children.
    ///
    /// v scales with the standard deviation s of the results below the node: `1 + w (s' / s0 - 1)`, where s' is s, drawn
    /// towards s0 while the visits are few (Monty's `1 / (1 + 0.5 N)`; KataGo scales likewise): where all lines lead to the
    /// same result, there is less to explore.
    pub(crate) fn scale(&self, node: &Node) -> f32 {
        let options = &self.options;
        let growth = self.growth.get(node.visits as usize).copied();
        let scale = growth.unwrap_or_else(|| self::growth(options, node.visits));
        if options.cpuct_variance == 0.0 {
            return scale;
        }
        let deviation = (node.square - node.value * node.value).max(0.0).sqrt() / CPUCT_DEVIATION;
        let ratio = deviation + (1.0 - deviation) / (1.0 + DEVIATION_WARM_UP * node.visits as f32);
        scale * (1.0 + options.cpuct_variance * (ratio - 1.0)).max(LEAST_SPREAD_FACTOR)
    }
}

/// `c(N) sqrt(N')`.
fn growth(options: &PuctOptions, visits: u32) -> f32 {
    options.exploration(visits) * (visits.saturating_sub(1).max(1) as f32).sqrt()
}
