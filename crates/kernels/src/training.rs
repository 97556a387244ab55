//! Forward and backward passes of residual networks, for training.
//!
//! The layers of [`TrainingShape`] on boards whose neighbours share zeros (`layout`). Everything is kept in 32-bit floats;
//! convolutions multiply in the precision asked for. A batch is worked on in a fixed number of shares, side by side;
//! everything that is added up over the batch is added up in their order.
//!
//! From the bottom: `tensor` and `workspace` (memory), `gradient`, `normalise`, `gating` (kernels), `convolution` (on the
//! engines of inference), `arithmetic` (all kernels of one instruction set and precision), `linear`, `normalised`, `biased`
//! (layers), `block`, `heads`, `network`.

mod arithmetic;
mod biased;
mod block;
mod convolution;
mod gating;
mod gradient;
mod heads;
mod linear;
mod network;
mod normalise;
mod normalised;
mod shape;
mod tensor;
mod workspace;

pub use network::{TrainingAnswer, TrainingNetwork};
pub use normalised::Normalisation;
pub use shape::{PolicyShape, PooledShape, Reach, TrainingShape};

use crate::{Isa, KernelError, Precision, element::Bf16, engine::Direct, simd::Portable};
#[cfg(target_arch = "x86_64")]
use crate::{
    engine::{Tiles, Winograd},
    simd::{Avx2, Avx512, Avx512Bf16},
    tiles::Hardware,
};
use arithmetic::{Arithmetic, Instructions};

/// The kernels of an instruction set and precision.
fn instructions(isa: Isa, precision: Precision) -> Result<Box<dyn Arithmetic>, KernelError> {
    isa.check()?;
    let missing = |reason: &str| KernelError::MissingPrecision {
        precision: precision.to_string(),
        isa: isa.to_string(),
        reason: reason.into(),
    };
    if precision == Precision::Int8 {
        return Err(missing("networks are trained in f32 or bf16"));
    }
    if let Some(reason) = isa.lacks(precision) {
        return Err(missing(reason));
    }
    match (isa, precision) {
        (Isa::Portable, Precision::Bf16) => Ok(boxed(Direct::<_, Bf16>::new(Portable))),
        (Isa::Portable, _) => Ok(boxed(Direct::<_, f32>::new(Portable))),
        #[cfg(target_arch = "x86_64")]
        _ => on_x86(isa, precision).ok_or_else(|| missing("the processor changed")),
        #[cfg(not(target_arch = "x86_64"))]
        _ => Err(missing("the processor is no x86-64")),
    }
}

fn boxed(engine: impl convolution::Learning) -> Box<dyn Arithmetic> {
    Box::new(Instructions::new(engine))
}

/// `None` where a token cannot be had, which the checks before have excluded.
#[cfg(target_arch = "x86_64")]
fn on_x86(isa: Isa, precision: Precision) -> Option<Box<dyn Arithmetic>> {
    Some(match (isa, precision) {
        (Isa::Portable, _) | (_, Precision::Int8) => return None,
        (Isa::Avx2, _) => boxed(Winograd::new(Avx2::new()?)),
        (Isa::Avx512 | Isa::Amx, Precision::F32) => boxed(Winograd::new(Avx512::new()?)),
        (Isa::Avx512, Precision::Bf16) => boxed(Direct::<_, Bf16>::new(Avx512Bf16::new()?)),
        (Isa::Amx, Precision::Bf16) => {
            boxed(Tiles::<_, _, Bf16>::new(Avx512Bf16::new()?, Hardware::new().ok()?))
        }
    })
}

#[cfg(test)]
mod tests;
