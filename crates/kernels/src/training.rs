//! Forward and backward passes of residual networks, for training.
//!
//! The layers of [`TrainingShape`] on boards whose neighbours share zeros (`layout`), in 32-bit floats. A batch is worked on in a fixed
//! number of shares, side by side; everything that is added up over the batch is added up in their order.
//!
//! From the bottom: `tensor` and `workspace` (memory), `gradient`, `normalise`, `gating` (kernels), `arithmetic` (the
//! kernels of one instruction set), `linear`, `normalised`, `biased` (layers), `block`, `heads`, `network`.

mod arithmetic;
mod biased;
mod block;
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

#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512};
use crate::{Isa, KernelError, simd::Portable};
use arithmetic::{Arithmetic, Instructions};

/// The kernels of an instruction set. The tile unit has none of its own yet and computes in AVX-512.
fn instructions(isa: Isa) -> Result<Box<dyn Arithmetic>, KernelError> {
    isa.check()?;
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Portable => {}
        Isa::Avx2 => {
            if let Some(token) = Avx2::new() {
                return Ok(Box::new(Instructions(token)));
            }
        }
        Isa::Avx512 | Isa::Amx => {
            if let Some(token) = Avx512::new() {
                return Ok(Box::new(Instructions(token)));
            }
        }
    }
    Ok(Box::new(Instructions(Portable)))
}

#[cfg(test)]
mod tests;
