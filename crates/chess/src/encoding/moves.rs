//! Moves as indices into a policy vector.

mod aichess_1968;
mod from_to_4096;
mod geometry;
mod lc0_1858;
mod shared_promotions;
mod uci_1968;

use shakmaty::{Chess, Move, Position};

use crate::encoding::{LawBreak, UnknownEncoding};

pub use aichess_1968::AiChess1968;
pub use from_to_4096::FromTo4096;
pub use geometry::{KNIGHT_STEPS, QUEEN_DIRECTIONS, step_from};
pub use lc0_1858::{Lc0CanonicalMoves1858, Lc0Moves1858};
pub use shared_promotions::{SharedPromotions4096, SharedView};
pub use uci_1968::Uci1968;

/// Maps moves to policy indices from the side to move's view.
///
/// # Laws
/// 1. No two legal moves of a position share an index, and every index is below `size()`.
/// 2. `decode(position, index(position, m)) == Some(m)` for every legal move; every other index gives `None`, never a panic.
/// 3. A position and its colour-flipped twin give equal indices for flipped moves.
///
/// `laws::moves::check` tests them.
pub trait MoveEncoding: Send + Sync {
    /// The name of the encoding in files; never reused for something else.
    fn name(&self) -> &'static str;

    /// Length of the policy vector; every index is below it.
    fn size(&self) -> usize;

    /// The laws that this encoding breaks because it reproduces another program's. None by default.
    fn breaks(&self) -> &'static [LawBreak] {
        &[]
    }

    /// The index of a move, which must be legal in `position`.
    fn index(&self, position: &Chess, chess_move: Move) -> usize;

    /// The legal move with this index, if there is one.
    ///
    /// Compares the indices of all legal moves, so it agrees with [`MoveEncoding::index`] by construction. A caller
    /// that already has the legal moves should call `index` instead.
    fn decode(&self, position: &Chess, index: usize) -> Option<Move> {
        position.legal_moves().into_iter().find(|&candidate| self.index(position, candidate) == index)
    }
}

/// Every move encoding, the default first. A new one is added as a row here; names are never reused.
pub const MOVES: &[&dyn MoveEncoding] = &[
    &Lc0Moves1858,
    &Uci1968,
    &FromTo4096,
    &AiChess1968,
    &SharedPromotions4096 { view: SharedView::White },
    &SharedPromotions4096 { view: SharedView::Turned },
    &SharedPromotions4096 { view: SharedView::WhiteFromTheTop },
    &Lc0CanonicalMoves1858,
];

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
