//! Priors under a temperature: networks trained on one move a position are surer than they are right.

use chess::SearchOptions;

use super::{Hint, HintContext};
use crate::tunables::tunables;

tunables! {
    /// Temperature of the priors, at the root and below.
    PolicyTemperatureOptions

    "PolicyTemperature" temperature: f32 = 1.3 in 0.1, 10.0;
    "Priors are raised to the inverse of this and normalised: above 1 explores more (lc0: 1.359)."

    "PolicyTemperatureRoot" root: f32 = 0.0 in 0.0, 10.0;
    "Added to the policy temperature at the root; d half-moves below it this divided by (d + 1)^1.788 (Monty: about 2)."
}

pub(super) fn make(options: &SearchOptions) -> Option<Box<dyn Hint>> {
    let options = PolicyTemperatureOptions::read(options);
    let on = options.temperature != 1.0 || options.root != 0.0;
    on.then(|| Box::new(PolicyTemperature { options }) as _)
}

struct PolicyTemperature {
    options: PolicyTemperatureOptions,
}

impl PolicyTemperature {
    fn at(&self, depth: usize) -> f32 {
        // Monty's exponent.
        const DECAY: f32 = -1.788;
        let PolicyTemperatureOptions { temperature, root } = self.options;
        if root == 0.0 { temperature } else { temperature + root * ((depth + 1) as f32).powf(DECAY) }
    }
}

impl Hint for PolicyTemperature {
    fn apply(&self, place: &HintContext<'_>, priors: &mut [f32]) {
        let exponent = 1.0 / self.at(place.depth);
        for prior in priors.iter_mut() {
            *prior = prior.powf(exponent);
        }
        let total: f32 = priors.iter().sum();
        // The largest prior is at least 1/218, whose power is far from zero at every temperature that may be set.
        for prior in priors {
            *prior /= total;
        }
    }

    fn temperature(&self, depth: usize) -> Option<f32> {
        Some(self.at(depth))
    }
}
