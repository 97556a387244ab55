//! The features of a side: every piece on its square, for each square of that side's king (HalfKAv2_hm of Stockfish
//! 15.1, `half_ka_v2_hm.h`). The board is seen from that side and mirrored so that its king is on files e to h.

use chess::shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

/// Number of features for one king square: ten kinds of pieces on 64 squares, and both kings, which never share a
/// square.
const PLACES: usize = 11 * 64;
/// Number of king squares, after mirroring.
const KINGS: usize = 32;
/// Number of features of a side.
pub(crate) const FEATURES: usize = KINGS * PLACES;
/// The largest number of features active at once.
pub(crate) const MOST_ACTIVE: usize = 32;

/// One side's view of a board.
#[derive(Clone, Copy)]
pub(crate) struct View {
    side: Color,
    /// XOR mask from squares of the board to squares of the view.
    flip: usize,
    /// The first feature of the king's square.
    first: usize,
}

impl View {
    /// The view of `side`, whose king is on `king`.
    pub(crate) fn new(side: Color, king: Square) -> Self {
        let ranks = if side.is_white() { 0 } else { 0b111_000 };
        let seen = usize::from(king) ^ ranks;
        let files = if seen % 8 < 4 { 0b111 } else { 0 };
        // King squares are numbered from the eighth rank down, and from file h.
        let bucket = (7 - seen / 8) * 4 + (7 - ((seen % 8) ^ files));
        Self { side, flip: ranks ^ files, first: bucket * PLACES }
    }

    pub(crate) fn feature(self, square: Square, piece: Piece) -> u32 {
        let role = match piece.role {
            Role::Pawn => 0,
            Role::Knight => 1,
            Role::Bishop => 2,
            Role::Rook => 3,
            Role::Queen => 4,
            Role::King => 5,
        };
        let kind = if role == 5 { 10 } else { 2 * role + usize::from(piece.color != self.side) };
        (self.first + kind * 64 + (usize::from(square) ^ self.flip)) as u32
    }
}

/// A list of features in a fixed-size array.
#[derive(Default)]
pub(crate) struct Features {
    length: usize,
    numbers: [u32; MOST_ACTIVE],
}

impl Features {
    fn push(&mut self, feature: u32) {
        self.numbers[self.length] = feature;
        self.length += 1;
    }

    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.numbers[..self.length]
    }

    /// All features of a side whose king is on `king`.
    pub(crate) fn of(board: &Board, side: Color, king: Square) -> Self {
        let (view, mut features) = (View::new(side, king), Self::default());
        for (square, piece) in board.clone() {
            features.push(view.feature(square, piece));
        }
        features
    }

    /// The features removed and the features added between two boards on which the side's king is on `king`.
    pub(crate) fn between(before: &Board, after: &Board, side: Color, king: Square) -> [Self; 2] {
        // From the boards and not from the move: castling, captures en passant and promotions need no cases of their own.
        let view = View::new(side, king);
        let [mut removed, mut added] = [Self::default(), Self::default()];
        for square in changed(before, after) {
            if let Some(piece) = before.piece_at(square) {
                removed.push(view.feature(square, piece));
            }
            if let Some(piece) = after.piece_at(square) {
                added.push(view.feature(square, piece));
            }
        }
        [removed, added]
    }
}

/// The squares on which two boards differ.
fn changed(before: &Board, after: &Board) -> Bitboard {
    let roles = Role::ALL.into_iter().map(|role| before.by_role(role) ^ after.by_role(role));
    let sides = Color::ALL.into_iter().map(|side| before.by_color(side) ^ after.by_color(side));
    roles.chain(sides).fold(Bitboard::EMPTY, |all, changed| all | changed)
}
