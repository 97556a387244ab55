//! Positions and moves as numbers: the same functions for training and for play.
//!
//! Both kinds of encoding see the board from the side to move: for Black the ranks are mirrored and the colours swapped,
//! so that a position and its colour-flipped twin are the same input.

pub mod input;
pub mod moves;

pub use input::{INPUTS, InputEncoding, Plane};
pub use moves::{MOVES, MoveEncoding};

/// An encoding that no list knows.
#[derive(Debug, thiserror::Error)]
#[error("unknown {kind} encoding {found:?}; known are {known}")]
pub struct UnknownEncoding {
    /// `input` or `move`.
    pub kind: &'static str,
    /// The name found.
    pub found: String,
    /// The known names.
    pub known: String,
}
