//! Lists of layers on the instruction set of a machine.

use super::{
    compiled::{Compiled, OnSimd, Use},
    list::List,
};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512};
use crate::{Isa, KernelError, simd::Portable};

/// A list on the kernels of an instruction set, in 32-bit floats: tile units have none.
pub(super) fn compile(list: &List, isa: Isa, usage: Use) -> Result<Box<dyn Compiled>, KernelError> {
    isa.check()?;
    list.check()?;
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Avx512 | Isa::Amx => {
            if let Some(simd) = Avx512::new() {
                return Ok(Box::new(OnSimd::new(simd, list, usage)));
            }
        }
        Isa::Avx2 => {
            if let Some(simd) = Avx2::new() {
                return Ok(Box::new(OnSimd::new(simd, list, usage)));
            }
        }
        Isa::Portable => {}
    }
    Ok(Box::new(OnSimd::new(Portable, list, usage)))
}
