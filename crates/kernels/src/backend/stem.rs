//! The first convolution: from planes, most of which are nonzero on only a few squares, to the sums of the trunk.

mod sparse;

use chess::encoding::Plane;

pub(crate) use sparse::Sparse;

/// True if a plane has the same number on every square.
#[inline(always)]
pub(super) fn is_constant(plane: &Plane) -> bool {
    plane.mask == u64::MAX
}

#[cfg(test)]
mod tests;
