//! Moves as indices into a policy vector.

use shakmaty::{Chess, Move};

use crate::encoding::UnknownEncoding;

/// Maps moves to policy indices, seen by the side to move.
///
/// # Laws
/// 1. No two legal moves of a position share an index, and every index is below `size()`.
/// 2. `decode(position, index(position, m)) == Some(m)` for every legal move; every other index gives `None`, never a panic.
/// 3. A position and its colour-flipped twin give equal indices for flipped moves.
pub trait MoveEncoding: Send + Sync {
    /// The name under which the encoding is stored in files; never reused for something else.
    fn name(&self) -> &'static str;

    /// Length of the policy vector.
    fn size(&self) -> usize;

    /// The index of a legal move.
    fn index(&self, position: &Chess, chess_move: Move) -> usize;

    /// The legal move with this index, if there is one.
    fn decode(&self, position: &Chess, index: usize) -> Option<Move>;
}

/// Every move encoding.
pub const MOVES: &[&dyn MoveEncoding] = &[];

/// Finds a move encoding by name.
///
/// # Errors
/// [`UnknownEncoding`] with the known names.
pub fn move_encoding(name: &str) -> Result<&'static dyn MoveEncoding, UnknownEncoding> {
    MOVES.iter().copied().find(|encoding| encoding.name() == name).ok_or_else(|| UnknownEncoding {
        kind: "move",
        found: name.into(),
        known: MOVES.iter().map(|encoding| encoding.name()).collect::<Vec<_>>().join(", "),
    })
}
