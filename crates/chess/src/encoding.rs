//! Positions and moves as numbers, computed by the same functions in training and in play.
//!
//! Planes and move indices see the board from the side to move: for Black the ranks are mirrored and the colours
//! swapped, so a position and its colour-flipped twin are the same input. Encodings of other programs that differ
//! declare it ([`LawBreak`]); they are here so that experiments with those programs can be repeated. Features and
//! policy rows, which sparse networks read, mirror the files too, so that the mover's king stands on files a to d.

mod canonical;
pub mod features;
pub mod input;
pub mod moves;
pub mod picture;
pub mod policy_rows;

pub use features::{FEATURES, FeatureList, FeatureSet};
pub use input::{INPUTS, InputEncoding, Plane, SQUARES};
pub use moves::{MOVES, MoveEncoding};

/// A law of the trait that an encoding breaks because it reproduces another program's encoding.
///
/// The law suites accept a break only if it is declared, and a declaration only if the law is really broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawBreak {
    /// The number of the law in the documentation of the trait.
    pub law: u32,
    /// The behaviour of the other program, and its consequence.
    pub reason: &'static str,
}

/// A name that is not in [`INPUTS`], [`MOVES`] or [`FEATURES`], such as a newer version's encoding in a weights file.
#[derive(Debug, thiserror::Error)]
#[error("unknown {kind} encoding {found:?}; expected one of {known}")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct UnknownEncoding {
    /// The list that was searched: `input`, `move` or `feature`.
    pub kind: &'static str,
    pub found: String,
    /// The names in the list, separated by commas.
    pub known: String,
}
