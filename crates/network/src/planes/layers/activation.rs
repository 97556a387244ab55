use kernels::LEAK;
use serde::{Deserialize, Serialize};

use super::{Kind, operation::Operation};
use crate::{
    NetworkError,
    planes::{
        layers::{Builder, Export, Operator},
        onnx_graph::{Value, float},
    },
};

/// A function applied to each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(0, x); by far the cheapest.
    #[default]
    Relu,
    /// x tanh(ln(1 + e^x)) (arXiv 1908.08681).
    Mish,
    /// x / (1 + e^-x) (arXiv 1710.05941), also called `SiLU`.
    Swish,
    /// x where positive, x / 100 elsewhere (Maas et al. 2013).
    LeakyRelu,
    /// The hyperbolic tangent.
    Tanh,
}

impl Activation {
    fn name(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::Mish => "mish",
            Self::Swish => "swish",
            Self::LeakyRelu => "leaky-relu",
            Self::Tanh => "tanh",
        }
    }

    pub(super) fn of_kernels(self) -> kernels::Activation {
        match self {
            Self::Relu => kernels::Activation::Relu,
            Self::Mish => kernels::Activation::Mish,
            Self::Swish => kernels::Activation::Swish,
            Self::LeakyRelu => kernels::Activation::LeakyRelu,
            Self::Tanh => kernels::Activation::Tanh,
        }
    }
}

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
        self.name().into()
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        match self {
            Self::Relu => export.node("Relu", &[source], Vec::new()),
            Self::LeakyRelu => export.node("LeakyRelu", &[source], vec![float("alpha", LEAK)]),
            Self::Tanh => export.node("Tanh", &[source], Vec::new()),
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
