//! Functions of single values: activations, and dropout.

use kernels::{GELU, LEAK, SELU};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{Activation, Builder, Export, Kind, Operator, operation::Operation};
use crate::{
    NetworkError,
    planes::onnx_graph::{Value, float},
};

/// An activation as a layer of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Activate {
    /// The function. Default: the network's `activation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<Activation>,
}

impl Kind for Activate {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let function = self.function.unwrap_or(builder.activation);
        builder.add(name, function, &[input])
    }
}

impl Operation for Activation {
    fn describe(&self) -> String {
        let name = match self {
            Self::Identity => "identity",
            Self::Relu => "relu",
            Self::Mish => "mish",
            Self::Swish => "swish",
            Self::LeakyRelu => "leaky-relu",
            Self::Tanh => "tanh",
            Self::ReluSquared => "relu-squared",
            Self::Selu => "selu",
            Self::Gelu => "gelu",
        };
        name.into()
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        match self {
            Self::Identity => export.node("Identity", &[source], Vec::new()),
            Self::Relu => export.node("Relu", &[source], Vec::new()),
            Self::LeakyRelu => export.node("LeakyRelu", &[source], vec![float("alpha", LEAK)]),
            Self::Tanh => export.node("Tanh", &[source], Vec::new()),
            Self::ReluSquared => {
                let positive = export.step("positive", "Relu", &[source], Vec::new());
                export.node("Mul", &[positive.clone(), positive], Vec::new())
            }
            Self::Selu => {
                let [gamma, alpha] = SELU;
                export.node("Selu", &[source], vec![float("alpha", alpha), float("gamma", gamma)])
            }
            // x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)).
            Self::Gelu => {
                let square = export.step("square", "Mul", &[source.clone(), source.clone()], Vec::new());
                let [cubic, linear] = [("cubic", GELU[0] * GELU[1]), ("linear", GELU[0])]
                    .map(|(part, value)| export.constant(part, &[1], vec![value]));
                let bent = export.step("bent", "Mul", &[square, cubic], Vec::new());
                let slope = export.step("slope", "Add", &[bent, linear], Vec::new());
                let inner = export.step("inner", "Mul", &[source.clone(), slope], Vec::new());
                let gate = export.step("gate", "Sigmoid", &[inner], Vec::new());
                export.node("Mul", &[source, gate], Vec::new())
            }
            // ONNX runtimes with older operator sets have neither function as a single operator.
            Self::Mish => {
                let soft = export.step("softplus", "Softplus", std::slice::from_ref(&source), Vec::new());
                let gate = export.step("gate", "Tanh", &[soft], Vec::new());
                export.node("Mul", &[source, gate], Vec::new())
            }
            Self::Swish => {
                let gate = export.step("gate", "Sigmoid", std::slice::from_ref(&source), Vec::new());
                export.node("Mul", &[source, gate], Vec::new())
            }
        }
    }

    fn operator(&self) -> Operator {
        Operator::Activation { function: *self }
    }
}

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
