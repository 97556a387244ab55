//! The first convolution: from planes, most of which are empty but for a few squares, to the sums of the trunk.

mod dense;
mod sparse;

use chess::encoding::Plane;

use crate::{backend::Backend, plan::Convolution};

pub(crate) use dense::Dense;
pub(crate) use sparse::Sparse;

/// The first convolution, packed for a backend.
pub(crate) trait Stem<G: Backend>: Send + Sync {
    /// Scratch memory of one thread.
    type Scratch: Send;

    fn new(convolution: &Convolution) -> Self;

    /// Scratch memory of one thread.
    fn scratch(&self) -> Self::Scratch;

    /// The sums of one board, `[72 positions][outputs, padded]`; those between ranks are undefined.
    fn run(
        &self,
        backend: &G,
        planes: &[Plane],
        memory: (&mut G::Work, &mut Self::Scratch),
        output: &mut [f32],
    );
}

/// True if a plane has the same number on every square.
#[inline(always)]
fn is_constant(plane: &Plane) -> bool {
    plane.mask == u64::MAX
}

#[cfg(test)]
mod tests;
