//! The precision of training.

use std::{fmt, str::FromStr};

use kernels::Precision;
use serde::{Deserialize, Serialize};

use crate::{NetworkError, error::invalid};

/// The number format of the products in training: in a network of planes, those of convolutions over the
/// whole board. Weights, sums, gradients and checkpoints are 32-bit floats in either precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingPrecision {
    /// 32-bit floats.
    #[default]
    F32,
    /// 16-bit floats with the 8-bit exponent of 32-bit floats.
    Bf16,
}

impl TrainingPrecision {
    /// The name in recipes and on the command line.
    pub fn name(self) -> &'static str {
        self.kernels().name()
    }

    /// The corresponding precision of the kernels.
    pub fn kernels(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::Bf16 => Precision::Bf16,
        }
    }
}

impl fmt::Display for TrainingPrecision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernels().fmt(formatter)
    }
}

impl FromStr for TrainingPrecision {
    type Err = NetworkError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::F32, Self::Bf16]
            .into_iter()
            .find(|precision| precision.name() == name)
            .ok_or_else(|| invalid("command line", "precision", format!("{name:?}"), "f32 or bf16".into()))
    }
}
