//! Instruction sets: detection, and running kernels on them.

use std::{fmt, str::FromStr};

use crate::{
    KernelError, PRECISIONS, Precision,
    simd::{Kernel, Portable, Simd as _},
};
#[cfg(target_arch = "x86_64")]
use crate::{
    simd::{Avx2, Avx512, Avx512Bf16, Avx512Vnni},
    tiles::Hardware,
};

/// Environment variable that selects an instruction set.
pub const ISA_VARIABLE: &str = "TABIYA_ISA";

/// An instruction set for the kernels, ordered from the most portable to the most specialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// Plain Rust: runs on every machine in every precision, with bit-identical results everywhere.
    Portable,
    /// AVX2 and FMA: f32 only.
    Avx2,
    /// AVX-512: f32; bf16 with the BF16 extension, int8 with VNNI.
    Avx512,
    /// AMX tiles: bf16 and int8; f32 runs on AVX-512.
    Amx,
}

/// Every instruction set, fastest last.
pub const ISAS: &[Isa] = &[Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Amx];

impl Isa {
    /// The name, as used in `TABIYA_ISA`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Amx => "amx",
        }
    }

    /// Checks that this machine has the instruction set.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`] with the missing CPU feature.
    pub fn check(self) -> Result<(), KernelError> {
        let missing =
            |reason: &str| Err(KernelError::MissingIsa { isa: self.to_string(), reason: reason.to_owned() });
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Avx2 if Avx2::new().is_none() => missing("the processor lacks AVX2 or FMA"),
            Self::Avx512 if Avx512::new().is_none() => missing("the processor lacks AVX-512 F, BW, DQ or VL"),
            Self::Amx => match Hardware::new() {
                Ok(_) => Ok(()),
                Err(reason) => missing(&reason),
            },
            _ => Ok(()),
        }
        #[cfg(not(target_arch = "x86_64"))]
        match self {
            Self::Portable => Ok(()),
            _ => missing("the processor is not x86-64"),
        }
    }

    /// The instruction sets this machine has, best last.
    pub fn available() -> Vec<Self> {
        ISAS.iter().copied().filter(|isa| isa.check().is_ok()).collect()
    }

    /// The reason why the operating system refuses the processor's best instruction set, or `None` if it does not. A
    /// program that falls back to another instruction set should report it.
    pub fn refusal() -> Option<String> {
        #[cfg(target_arch = "x86_64")]
        return crate::tiles::refusal();
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The instruction set named by [`ISA_VARIABLE`], or the best of this machine if the variable is not set.
    ///
    /// # Errors
    /// [`KernelError::UnknownIsa`] or [`KernelError::MissingIsa`] if the named one is not available.
    pub fn chosen() -> Result<Self, KernelError> {
        let forced = std::env::var_os(ISA_VARIABLE).filter(|value| !value.is_empty());
        Self::choose(forced.as_deref().map(|value| value.to_string_lossy()).as_deref())
    }

    /// The instruction set named by `forced`, or the best of this machine if `None`.
    ///
    /// # Errors
    /// As [`Isa::chosen`].
    pub fn choose(forced: Option<&str>) -> Result<Self, KernelError> {
        let Some(name) = forced else {
            return Ok(Self::available().last().copied().unwrap_or(Self::Portable));
        };
        let isa: Self = name.parse()?;
        isa.check().map(|()| isa)
    }

    /// The precisions for which this instruction set has kernels on this machine.
    pub fn precisions(self) -> Vec<Precision> {
        PRECISIONS.iter().copied().filter(|precision| self.lacks(*precision).is_none()).collect()
    }

    /// The reason why a precision is not available on this instruction set, or `None` if it is available.
    pub(crate) fn lacks(self, precision: Precision) -> Option<&'static str> {
        #[cfg(target_arch = "x86_64")]
        match (self, precision) {
            (Self::Avx2, Precision::Bf16 | Precision::Int8) => {
                Some("its 16-bit and eight-bit products would be slower than f32 by Winograd's algorithm")
            }
            (Self::Avx512, Precision::Bf16) if Avx512Bf16::new().is_none() => {
                Some("the processor lacks AVX-512 BF16")
            }
            (Self::Avx512, Precision::Int8) if Avx512Vnni::new().is_none() => {
                Some("the processor lacks AVX-512 VNNI")
            }
            _ => None,
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Checks that this machine has the instruction set, and kernels for the precision.
    pub(crate) fn check_precision(self, precision: Precision) -> Result<(), KernelError> {
        self.check()?;
        self.lacks(precision).map_or(Ok(()), |reason| Err(self.without(precision, reason)))
    }

    /// The error for a precision that this instruction set does not have.
    pub(crate) fn without(self, precision: Precision, reason: &str) -> KernelError {
        KernelError::MissingPrecision {
            precision: precision.to_string(),
            isa: self.to_string(),
            reason: reason.into(),
        }
    }

    /// Runs a kernel on the vectors of this instruction set (for AMX, those of AVX-512), or in plain Rust if the machine
    /// lacks it.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn run<K, R>(self, kernel: K) -> R
    where
        K: Kernel<Portable, R> + Kernel<Avx2, R> + Kernel<Avx512, R>,
    {
        match self {
            Self::Avx512 | Self::Amx => {
                if let Some(simd) = Avx512::new() {
                    return simd.run(kernel);
                }
            }
            Self::Avx2 => {
                if let Some(simd) = Avx2::new() {
                    return simd.run(kernel);
                }
            }
            Self::Portable => {}
        }
        Portable.run(kernel)
    }

    /// As [`Isa::run`], but with bf16 instructions if the machine has them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn run_on_halves<K, R>(self, kernel: K) -> R
    where
        K: Kernel<Portable, R> + Kernel<Avx2, R> + Kernel<Avx512, R> + Kernel<Avx512Bf16, R>,
    {
        match Avx512Bf16::new() {
            Some(simd) if self >= Self::Avx512 => simd.run(kernel),
            _ => self.run(kernel),
        }
    }

    /// Runs a kernel in plain Rust.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn run_on_halves<K: Kernel<Portable, R>, R>(self, kernel: K) -> R {
        self.run(kernel)
    }

    /// Runs a kernel in plain Rust.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn run<K: Kernel<Portable, R>, R>(self, kernel: K) -> R {
        Portable.run(kernel)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Isa {
    type Err = KernelError;

    fn from_str(name: &str) -> Result<Self, KernelError> {
        ISAS.iter().copied().find(|isa| isa.name() == name).ok_or_else(|| KernelError::UnknownIsa {
            found: name.into(),
            known: ISAS.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_refused() {
        for isa in ISAS {
            assert_eq!(isa.name().parse(), Ok(*isa));
        }
        let error = Isa::choose(Some("avx1024")).unwrap_err().to_string();
        assert_eq!(error, "unknown instruction set \"avx1024\"; expected one of portable, avx2, avx512, amx");
    }

    #[test]
    fn a_forced_instruction_set_is_used_or_refused_with_its_name() {
        for isa in ISAS {
            match Isa::choose(Some(isa.name())) {
                Ok(chosen) => assert!(chosen == *isa && Isa::available().contains(isa)),
                Err(error) => {
                    assert!(
                        error.to_string().starts_with(&format!("instruction set {isa} cannot")),
                        "{error}"
                    );
                    assert!(!Isa::available().contains(isa));
                }
            }
        }
    }

    #[test]
    fn portable_has_every_precision() {
        assert_eq!(Isa::Portable.precisions(), PRECISIONS);
        assert!(Isa::available().contains(&Isa::Portable));
    }
}
