//! Positions and moves as numbers, by the same functions in training and in play.
//!
//! Both kinds of encoding see the board from the side to move: for Black the ranks are mirrored and the colours swapped,
//! so that a position and its colour-flipped twin are the same input.

pub mod input;
pub mod moves;

pub use input::{INPUTS, InputEncoding, Plane};
pub use moves::{MOVES, MoveEncoding};

/// A name that is in neither [`INPUTS`] nor [`MOVES`], such as that of a newer version's encoding in a weights file.
#[derive(Debug, thiserror::Error)]
#[error("unknown {kind} encoding {found:?}; known are {known}")]
pub struct UnknownEncoding {
    /// `input` or `move`.
    pub kind: &'static str,
    /// The name as given.
    pub found: String,
    /// The names in the list, separated by commas.
    pub known: String,
}
