//! The twelve piece planes that every input encoding begins with.

use shakmaty::{Board, Color, Role};

use super::Plane;

/// Roles in the order of the piece planes.
const ROLES: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// Number of planes written by [`write_pieces`].
pub(super) const PIECE_PLANES: usize = 12;

/// Writes own pawns, knights, bishops, rooks, queens, king, then the opponent's, as `viewer` sees the board.
pub(super) fn write_pieces(board: &Board, viewer: Color, planes: &mut [Plane]) {
    for (side, color) in [viewer, !viewer].into_iter().enumerate() {
        let pieces = board.by_color(color);
        for (role, plane) in ROLES.into_iter().zip(&mut planes[side * 6..side * 6 + 6]) {
            *plane = Plane::squares(viewed((pieces & board.by_role(role)).0, viewer));
        }
    }
}

/// A set of squares as `viewer` sees it: ranks mirrored for Black.
pub(super) fn viewed(squares: u64, viewer: Color) -> u64 {
    if viewer.is_white() { squares } else { squares.swap_bytes() }
}
