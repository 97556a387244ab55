use std::{fmt, str::FromStr};

use crate::KernelError;

/// The number format of weights and of activations between layers. Sums are 32 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Single precision, as networks are stored.
    F32,
    /// 16-bit floats with the 8-bit exponent of 32-bit floats.
    Bf16,
    /// Eight-bit integers; a residual tower must have been calibrated for them.
    Int8,
}

/// Every precision, finest first.
pub const PRECISIONS: &[Precision] = &[Precision::F32, Precision::Bf16, Precision::Int8];

impl Precision {
    /// The name, as used in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = KernelError;

    fn from_str(name: &str) -> Result<Self, KernelError> {
        let known = || PRECISIONS.iter().map(|precision| precision.name()).collect::<Vec<_>>().join(", ");
        PRECISIONS
            .iter()
            .copied()
            .find(|precision| precision.name() == name)
            .ok_or_else(|| KernelError::UnknownPrecision { found: name.into(), known: known() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_refused() {
        for precision in PRECISIONS {
            assert_eq!(precision.name().parse(), Ok(*precision));
        }
        let error = "fp8".parse::<Precision>().unwrap_err().to_string();
        assert_eq!(error, "unknown precision \"fp8\"; expected one of f32, bf16, int8");
    }
}
