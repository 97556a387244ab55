//! The place of a node in an alpha-beta search.

/// Half-moves below the root, and half-moves still to search.
#[derive(Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) ply: usize,
    pub(crate) depth: i32,
}
