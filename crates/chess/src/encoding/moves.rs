//! Moves as indices into a policy vector.

mod from_to_4096;
mod geometry;
mod lc0_1858;
mod uci_1968;

use shakmaty::{Chess, Move, Position};

use crate::encoding::UnknownEncoding;

pub use from_to_4096::FromTo4096;
pub use lc0_1858::Lc0Moves1858;
pub use uci_1968::Uci1968;

/// Maps moves to policy indices, seen by the side to move.
///
/// # Laws
/// 1. No two legal moves of a position share an index, and every index is below `size()`.
/// 2. `decode(position, index(position, m)) == Some(m)` for every legal move; every other index gives `None`, never a panic.
/// 3. A position and its colour-flipped twin give equal indices for flipped moves.
///
/// The `laws` module checks them.
pub trait MoveEncoding: Send + Sync {
    /// The name under which the encoding is stored in files; never reused for something else.
    fn name(&self) -> &'static str;

    /// Length of the policy vector.
    fn size(&self) -> usize;

    /// The index of a legal move.
    fn index(&self, position: &Chess, chess_move: Move) -> usize;

    /// The legal move with this index, if there is one.
    ///
    /// Generates the legal moves and compares their indices, so that it agrees with [`MoveEncoding::index`] by
    /// construction; whoever has the legal moves at hand calls that directly.
    fn decode(&self, position: &Chess, index: usize) -> Option<Move> {
        position.legal_moves().into_iter().find(|&candidate| self.index(position, candidate) == index)
    }
}

/// Every move encoding.
pub const MOVES: &[&dyn MoveEncoding] = &[&Lc0Moves1858, &Uci1968, &FromTo4096];

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
