//! The twelve piece planes that most input encodings begin with.

use shakmaty::{Bitboard, Board, Color, Role};

use super::Plane;

/// Roles in the order of the piece planes.
pub(super) const ROLES: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// The names of the roles, plural except for the king.
pub(super) const ROLE_NAMES: [&str; 6] = ["pawns", "knights", "bishops", "rooks", "queens", "king"];

/// The names of [`write_pieces_seen`]'s planes, with these names for the sides.
pub(super) fn piece_name(sides: [&str; 2], plane: usize) -> String {
    format!("{} {}", sides[plane / ROLES.len()], ROLE_NAMES[plane % ROLES.len()])
}

/// Names of the sides in an encoding with the mover's view.
pub(super) const OWN_AND_THEIR: [&str; 2] = ["own", "their"];
/// Names of the sides in an encoding with White's view.
pub(super) const WHITE_AND_BLACK: [&str; 2] = ["White's", "Black's"];

/// Number of planes written by [`write_pieces`] and [`write_signed_pieces`].
pub(super) const PIECE_PLANES: usize = 12;

/// Writes own pawns, knights, bishops, rooks, queens, king, then the opponent's, as `viewer` sees the board.
pub(super) fn write_pieces(board: &Board, viewer: Color, planes: &mut [Plane]) {
    write_pieces_seen(board, viewer, |squares| viewed(squares, viewer), planes);
}

/// Writes the pieces of `first`, then those of the other side, with the squares arranged by `view`.
pub(super) fn write_pieces_seen(
    board: &Board,
    first: Color,
    view: impl Fn(u64) -> u64,
    planes: &mut [Plane],
) {
    for (side, color) in [first, !first].into_iter().enumerate() {
        let pieces = board.by_color(color);
        for (role, plane) in ROLES.into_iter().zip(&mut planes[side * 6..side * 6 + 6]) {
            *plane = Plane::squares(view((pieces & board.by_role(role)).0));
        }
    }
}

/// Writes White's and Black's pieces of each role in turn, a8 first: 1 to 6 by role, negative for Black.
pub(super) fn write_signed_pieces(board: &Board, planes: &mut [Plane]) {
    for (number, role) in ROLES.into_iter().enumerate() {
        let value = (number + 1) as f32;
        let [white, black] =
            [board.white(), board.black()].map(|side| from_the_top((side & board.by_role(role)).0));
        planes[2 * number] = Plane { mask: white, value };
        planes[2 * number + 1] = Plane { mask: black, value: -value };
    }
}

/// A set of squares as `viewer` sees it: ranks mirrored for Black.
pub(crate) fn viewed(squares: u64, viewer: Color) -> u64 {
    if viewer.is_white() { squares } else { squares.swap_bytes() }
}

/// The plane of a set of squares as `viewer` sees it.
pub(super) fn viewed_plane(squares: Bitboard, viewer: Color) -> Plane {
    Plane::squares(viewed(squares.0, viewer))
}

/// A set of squares with the eighth rank first, a8 = bit 0 .. h1 = bit 63, in the order of a printed diagram.
pub(super) fn from_the_top(squares: u64) -> u64 {
    squares.swap_bytes()
}
