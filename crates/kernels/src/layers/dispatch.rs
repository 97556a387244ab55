//! Compiles lists of layers for an instruction set.

use super::{
    compiled::{Compiled, OnSimd, Use},
    list::List,
};
use crate::{
    Isa, KernelError,
    simd::{GradientLanes, Kernel},
};

/// Compiles a list for the kernels of an instruction set.
pub(super) fn compile(list: &List, isa: Isa, usage: Use) -> Result<Box<dyn Compiled>, KernelError> {
    isa.check()?;
    list.check()?;
    Ok(isa.run(Compile { list, usage }))
}

struct Compile<'a> {
    list: &'a List,
    usage: Use,
}

impl<S: GradientLanes<f32>> Kernel<S, Box<dyn Compiled>> for Compile<'_> {
    fn call(self, simd: S) -> Box<dyn Compiled> {
        Box::new(OnSimd::new(simd, self.list, self.usage))
    }
}
