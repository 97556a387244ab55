//! The inputs of Catfish.

use shakmaty::{Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{PIECE_PLANES, WHITE_AND_BLACK, piece_name, viewed, write_pieces_seen},
};
use crate::{Game, encoding::LawBreak};

/// The side whose pieces come first and from whose view the board is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatfishView {
    /// Always White: version 1.
    White,
    /// The side that has just moved, with its own first rank at the bottom: versions 2 and 3 judge a board after their
    /// own move, so the opponent is always to move.
    JustMoved,
}

/// `catfish-12-white`, `catfish-12`: twelve planes, pawns, knights, bishops, rooks, queens and king of the first side, then of
/// the other. No turn, castling rights, en passant, clock or repetition.
#[derive(Clone, Copy, Debug)]
pub struct CatfishPlanes12 {
    /// The side whose pieces come first.
    pub view: CatfishView,
}

impl InputEncoding for CatfishPlanes12 {
    fn name(&self) -> &'static str {
        match self.view {
            CatfishView::White => "catfish-12-white",
            CatfishView::JustMoved => "catfish-12",
        }
    }

    fn planes(&self) -> usize {
        PIECE_PLANES
    }

    fn value_viewer(&self, turn: Color) -> Color {
        match self.view {
            CatfishView::White => Color::White,
            CatfishView::JustMoved => !turn,
        }
    }

    fn breaks(&self) -> &'static [LawBreak] {
        match self.view {
            CatfishView::White => &[LawBreak {
                law: 2,
                reason: "White's view without the turn: the same board with either side to move is one input",
            }],
            CatfishView::JustMoved => &[],
        }
    }

    fn channel_name(&self, channel: usize) -> String {
        let sides = match self.view {
            CatfishView::White => WHITE_AND_BLACK,
            CatfishView::JustMoved => ["the last mover's", "the next mover's"],
        };
        piece_name(sides, channel)
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let first = match self.view {
            CatfishView::White => Color::White,
            CatfishView::JustMoved => !game.turn(),
        };
        write_pieces_seen(game.position().board(), first, |squares| viewed(squares, first), planes);
    }
}
