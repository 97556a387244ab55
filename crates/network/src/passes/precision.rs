//! The numbers that training multiplies.

use std::{fmt, str::FromStr};

use kernels::Precision;
use serde::{Deserialize, Serialize};

use crate::{NetworkError, error::invalid};

/// The numbers that convolutions multiply while a network is trained. Weights, sums and all that is kept are 32-bit
/// floats in either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingPrecision {
    /// 32-bit floats.
    #[default]
    F32,
    /// 16-bit floats with the exponent of 32-bit ones.
    Bf16,
}

impl TrainingPrecision {
    /// The number format under the name that kernels know it by.
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
            .find(|precision| precision.to_string() == name)
            .ok_or_else(|| invalid("command line", "precision", format!("{name:?}"), "f32 or bf16".into()))
    }
}
