use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{Builder, Export, Kind, Operator, operation::Operation};
use crate::{NetworkError, planes::onnx_graph::Value};

/// Dropout (Srivastava et al. 2014): in training each value is set to zero with this probability, and the others are
/// scaled up to keep the mean; in play it does nothing. The values dropped are determined by the run's seed and the
/// step, so a resumed run continues identically.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropout {
    /// Probability that a value is set to zero, 0 to 0.95.
    pub rate: f32,
}

impl Dropout {
    /// The factor of each value, `[boards][ranks][files][channels]`: zero or `1 / (1 - rate)`.
    pub(crate) fn factors(self, seed: u64, count: usize) -> Vec<f32> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let kept = 1.0 / (1.0 - self.rate);
        (0..count).map(|_| if random.random::<f32>() < self.rate { 0.0 } else { kept }).collect()
    }
}

impl Kind for Dropout {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        if !(0.0..=0.95).contains(&self.rate) {
            return Err(builder.invalid(&format!("{name}.rate"), self.rate, "0 to 0.95"));
        }
        builder.add(name, *self, &[input])
    }
}

impl Operation for Dropout {
    fn describe(&self) -> String {
        format!("dropout of {}", self.rate)
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        export.node("Identity", &[source], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::Dropout { rate: self.rate }
    }
}
