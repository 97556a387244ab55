//! Forward and backward passes of residual networks, for training.
//!
//! Convolutions multiply in the precision asked for and add up in 32 bits; what is kept of a layer for the backward pass is
//! kept in the format in which the convolutions read it. Weights, moments, losses and the gradient of the trunk are 32-bit
//! floats. A batch is worked on in a fixed number of shares, side by side; everything that is added up over the batch is
//! added up in their order.
//!
//! From the bottom: `normalise` and `gradient` (kernels), `convolution` (on the engines of inference), `folded`, `dense`,
//! `excite`, `layer` (layers), `tower`, `heads`, `share` (what is remembered of some boards), `passes`, `network`.

mod convolution;
mod dense;
mod excite;
mod folded;
mod gradient;
mod heads;
mod layer;
mod linear;
mod network;
mod normalise;
mod passes;
mod shape;
mod share;
mod tower;
mod work;

pub use layer::Normalisation;
pub use network::{TrainingAnswer, TrainingNetwork};
pub use shape::{PolicyShape, PooledShape, Reach, TrainingShape};

use crate::{Isa, KernelError, Precision, element::Bf16, engine::Direct, simd::Portable};
#[cfg(target_arch = "x86_64")]
use crate::{
    engine::{Tiles, Winograd},
    simd::{Avx2, Avx512, Avx512Bf16},
    tiles::Hardware,
};
use passes::{OnEngine, Passes};

/// A network on the kernels of an instruction set and precision.
fn passes_on(
    shape: &TrainingShape,
    isa: Isa,
    precision: Precision,
    boards: usize,
) -> Result<Box<dyn Passes>, KernelError> {
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
        (Isa::Portable, Precision::Bf16) => Ok(boxed(Direct::<_, Bf16>::new(Portable), shape, boards)),
        (Isa::Portable, _) => Ok(boxed(Direct::<_, f32>::new(Portable), shape, boards)),
        #[cfg(target_arch = "x86_64")]
        _ => on_x86(shape, isa, precision, boards).ok_or_else(|| missing("the processor changed")),
        #[cfg(not(target_arch = "x86_64"))]
        _ => Err(missing("the processor is no x86-64")),
    }
}

fn boxed(engine: impl convolution::Learning, shape: &TrainingShape, boards: usize) -> Box<dyn Passes> {
    Box::new(OnEngine::new(engine, shape, boards))
}

/// `None` where a token cannot be had, which the checks before have excluded.
#[cfg(target_arch = "x86_64")]
fn on_x86(shape: &TrainingShape, isa: Isa, precision: Precision, boards: usize) -> Option<Box<dyn Passes>> {
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

#[cfg(test)]
mod tests;
