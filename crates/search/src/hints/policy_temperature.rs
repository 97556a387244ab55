//! A temperature for the priors: networks trained on one move per position are overconfident.

use chess::SearchOptions;

use super::{Hint, HintContext};
use crate::{temperature::temper, tunables::tunables};

tunables! {
    /// Temperature of the priors.
    PolicyTemperatureOptions

    "PolicyTemperature" temperature: f32 = 1.3 in 0.1, 10.0;
    "Priors are raised to the inverse of this and normalised: above 1 explores more (lc0: 1.359)."
}

pub(super) fn make(options: &SearchOptions) -> Option<Box<dyn Hint>> {
    let PolicyTemperatureOptions { temperature } = PolicyTemperatureOptions::read(options);
    (temperature != 1.0).then(|| Box::new(PolicyTemperature { temperature }) as _)
}

struct PolicyTemperature {
    temperature: f32,
}

impl Hint for PolicyTemperature {
    fn apply(&self, _place: &HintContext<'_>, priors: &mut [f32]) {
        temper(priors, self.temperature);
    }

    fn temperature(&self) -> Option<f32> {
        Some(self.temperature)
    }
}
