//! Priors under a temperature: networks trained on one move a position are surer than they are right.

use chess::{Evaluation, SearchOptions};

use super::{Hint, HintContext};
use crate::tunables::tunables;

tunables! {
    /// The temperature of priors.
    PolicyTemperatureOptions

    "PolicyTemperature" temperature: f32 = 1.3 in 0.1, 10.0;
    "Priors are raised to the inverse of this and normalised: above 1 explores more (lc0: 1.359)."
}

pub(super) fn make(options: &SearchOptions) -> Option<Box<dyn Hint>> {
    let exponent = 1.0 / PolicyTemperatureOptions::read(options).temperature;
    (exponent != 1.0).then(|| Box::new(PolicyTemperature { exponent }) as _)
}

struct PolicyTemperature {
    exponent: f32,
}

impl Hint for PolicyTemperature {
    fn apply(&self, _place: &HintContext<'_>, evaluation: &mut Evaluation) {
        let mut raised: Vec<f32> = evaluation.priors.iter().map(|prior| prior.powf(self.exponent)).collect();
        let total: f32 = raised.iter().sum();
        if total > 0.0 && total.is_finite() {
            for prior in &mut raised {
                *prior /= total;
            }
            evaluation.priors = raised;
        }
    }
}
