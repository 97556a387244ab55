//! Positions as stacks of 8x8 planes.

use crate::{Game, encoding::UnknownEncoding};

/// One 8x8 plane with a single value on some squares and zero elsewhere.
///
/// Bit 0 of the mask is a1 *as the side to move sees it*: for Black the ranks are mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// The squares that carry the value.
    pub mask: u64,
    /// The value on those squares.
    pub value: f32,
}

/// Turns a game into planes.
///
/// # Laws
/// 1. `encode` overwrites all `planes()` planes and depends on at most the last `history()` positions.
/// 2. A game and its colour-flipped twin give equal planes, unless the encoding documents otherwise.
/// 3. Values are finite.
pub trait InputEncoding: Send + Sync {
    /// The name under which the encoding is stored in files; never reused for something else.
    fn name(&self) -> &'static str;

    /// Number of planes.
    fn planes(&self) -> usize;

    /// How many positions, the current one included, the planes depend on; 1 = no history.
    fn history(&self) -> usize;

    /// Writes the planes of the current position. `planes` has exactly [`InputEncoding::planes`] entries.
    fn encode(&self, game: &Game, planes: &mut [Plane]);
}

/// Every input encoding.
pub const INPUTS: &[&dyn InputEncoding] = &[];

/// Finds an input encoding by name.
///
/// # Errors
/// [`UnknownEncoding`] with the known names.
pub fn input_encoding(name: &str) -> Result<&'static dyn InputEncoding, UnknownEncoding> {
    INPUTS.iter().copied().find(|encoding| encoding.name() == name).ok_or_else(|| UnknownEncoding {
        kind: "input",
        found: name.into(),
        known: INPUTS.iter().map(|encoding| encoding.name()).collect::<Vec<_>>().join(", "),
    })
}
