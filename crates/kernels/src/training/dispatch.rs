//! The backend for an instruction set and precision.

use super::{
    backend::TrainingBackend,
    on_backend::{ForwardBackward, OnBackend},
    shape::TrainingShape,
};
use crate::{
    Isa, KernelError, Precision,
    backend::{Direct, Winograd},
    simd::Portable,
    simd::element::Bf16,
};
#[cfg(target_arch = "x86_64")]
use crate::{
    backend::Tiles,
    simd::{Avx2, Avx512, Avx512Bf16},
    tiles::Hardware,
};

/// Creates a network on the kernels of an instruction set and precision.
pub(super) fn on_backend(
    shape: &TrainingShape,
    isa: Isa,
    precision: Precision,
    boards: usize,
) -> Result<Box<dyn ForwardBackward>, KernelError> {
    if precision == Precision::Int8 {
        return Err(isa.without(precision, "networks are trained in f32 or bf16"));
    }
    isa.check_precision(precision)?;
    match (isa, precision) {
        (Isa::Portable, Precision::Bf16) => Ok(boxed(Direct::<_, Bf16>::new(Portable), shape, boards)),
        (Isa::Portable, _) => Ok(boxed(Winograd::new(Portable), shape, boards)),
        #[cfg(target_arch = "x86_64")]
        _ => on_x86(shape, isa, precision, boards)
            .ok_or_else(|| isa.without(precision, "the processor changed")),
        #[cfg(not(target_arch = "x86_64"))]
        _ => Err(isa.without(precision, "the processor is not x86-64")),
    }
}

fn boxed(backend: impl TrainingBackend, shape: &TrainingShape, boards: usize) -> Box<dyn ForwardBackward> {
    Box::new(OnBackend::new(backend, shape, boards))
}

/// `None` if a token is not available, which the caller's checks have ruled out.
#[cfg(target_arch = "x86_64")]
fn on_x86(
    shape: &TrainingShape,
    isa: Isa,
    precision: Precision,
    boards: usize,
) -> Option<Box<dyn ForwardBackward>> {
    Some(match (isa, precision) {
        (Isa::Portable, _) | (_, Precision::Int8) => return None,
        (Isa::Avx2, _) => boxed(Winograd::new(Avx2::new()?), shape, boards),
        (Isa::Avx512 | Isa::Amx, Precision::F32) => boxed(Winograd::new(Avx512::new()?), shape, boards),
        (Isa::Avx512, Precision::Bf16) => boxed(Direct::<_, Bf16>::new(Avx512Bf16::new()?), shape, boards),
        (Isa::Amx, Precision::Bf16) => {
            boxed(Tiles::<_, _, Bf16>::new(Avx512Bf16::new()?, Hardware::new().ok()?), shape, boards)
        }
    })
}
