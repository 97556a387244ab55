//! The backend for an instruction set and precision.

use crate::{
    Calibration, Isa, KernelError, Plan, Precision,
    backend::{Direct, Winograd},
    program::{Compiled, compile},
    simd::Portable,
    simd::element::Bf16,
};
#[cfg(target_arch = "x86_64")]
use crate::{
    backend::Tiles,
    simd::{Avx2, Avx512, Avx512Bf16, Avx512Vnni},
    tiles::Hardware,
};

impl Isa {
    /// Compiles a plan for this instruction set.
    pub(crate) fn compile(
        self,
        plan: &Plan,
        precision: Precision,
        calibration: Option<&Calibration>,
    ) -> Result<Compiled, KernelError> {
        self.check_precision(precision)?;
        match (self, precision) {
            (Self::Portable, Precision::F32) => compile(Winograd::new(Portable), plan, calibration),
            (Self::Portable, Precision::Bf16) => compile(Direct::<_, Bf16>::new(Portable), plan, calibration),
            (Self::Portable, Precision::Int8) => compile(Direct::<_, u8>::new(Portable), plan, calibration),
            #[cfg(target_arch = "x86_64")]
            _ => self
                .compile_x86(plan, precision, calibration)
                .ok_or_else(|| self.without(precision, "the processor changed"))?,
            #[cfg(not(target_arch = "x86_64"))]
            _ => Err(self.without(precision, "the processor is not x86-64")),
        }
    }

    /// `None` if a token is not available, which the caller's checks have ruled out.
    #[cfg(target_arch = "x86_64")]
    fn compile_x86(
        self,
        plan: &Plan,
        precision: Precision,
        calibration: Option<&Calibration>,
    ) -> Option<Result<Compiled, KernelError>> {
        Some(match (self, precision) {
            (Self::Portable, _) => return None,
            (Self::Avx2, _) => compile(Winograd::new(Avx2::new()?), plan, calibration),
            (_, Precision::F32) => compile(Winograd::new(Avx512::new()?), plan, calibration),
            (Self::Avx512, Precision::Bf16) => {
                compile(Direct::<_, Bf16>::new(Avx512Bf16::new()?), plan, calibration)
            }
            (Self::Avx512, Precision::Int8) => {
                compile(Direct::<_, u8>::new(Avx512Vnni::new()?), plan, calibration)
            }
            (Self::Amx, Precision::Bf16) => compile(
                Tiles::<_, _, Bf16>::new(Avx512Bf16::new()?, Hardware::new().ok()?),
                plan,
                calibration,
            ),
            (Self::Amx, Precision::Int8) => {
                compile(Tiles::<_, _, u8>::new(Avx512Vnni::new()?, Hardware::new().ok()?), plan, calibration)
            }
        })
    }
}
