//! Exploration factor: the weight of the priors in a node's choice.

use crate::puct::{options::PuctOptions, tree::Node};

/// Nodes with fewer visits than this, nearly all of those that are passed, find their logarithm and power in a table of 16 KiB.
const TABLED: u32 = 4096;

/// The exploration factor under some options.
#[derive(Debug)]
pub(crate) struct Exploration {
    pub(crate) options: PuctOptions,
    growth: Box<[f32]>,
}

impl Exploration {
    pub(crate) fn new(options: PuctOptions) -> Self {
        let growth =
            (0..TABLED).map(|visits| options.exploration(visits) * power(&options, visits)).collect();
        Self { options, growth }
    }

    /// Factor of a prior in the exploration term of a node: `c(N) N'^e v(N) g r`, N' being the visits of its children and e
    /// usually 1/2.
    ///
    /// v scales with the standard deviation s of the results below the node: `1 + w (s' / s0 - 1)`, where s' is s, drawn
    /// towards s0 while the visits are few (Monty's `1 / (1 + 0.5 N)`; KataGo scales likewise): where all lines come to the
    /// same, there is less to explore. g grows where the priors are concentrated ([`gini_factor`]); r is the root's own factor.
    pub(crate) fn scale(&self, node: &Node, at_root: bool) -> f32 {
        // Monty's warm-up.
        const WARM_UP: f32 = 0.5;
        let options = &self.options;
        let mut scale = match self.growth.get(node.visits as usize) {
            Some(growth) => *growth,
            None => options.exploration(node.visits) * power(options, node.visits),
        };
        if options.cpuct_variance != 0.0 {
            let deviation = (node.square - node.value * node.value).max(0.0).sqrt() / options.cpuct_deviation;
            let ratio = deviation + (1.0 - deviation) / (1.0 + WARM_UP * node.visits as f32);
            scale *= (1.0 + options.cpuct_variance * (ratio - 1.0)).max(0.1);
        }
        if options.cpuct_gini != 0.0 {
            scale *= 1.0 + options.cpuct_gini * (gini_factor(node.gini) - 1.0);
        }
        if at_root { scale * options.cpuct_root } else { scale }
    }
}

/// N' to the exponent of the options; the square root is exact on every machine.
fn power(options: &PuctOptions, visits: u32) -> f32 {
    let below = visits.saturating_sub(1).max(1) as f32;
    match options.cpuct_exponent {
        0.5 => below.sqrt(),
        exponent => libm::powf(below, exponent),
    }
}

/// Monty's factor by the Gini impurity of the priors, `1 - sum of p^2`: `0.4662 - 1.568 ln(impurity + 0.001)`, at most 2.265.
/// A move with all of the prior would otherwise leave its siblings hardly any visits.
fn gini_factor(impurity: f32) -> f32 {
    (0.4662 - 1.568 * libm::logf(impurity + 0.001)).min(2.265)
}
