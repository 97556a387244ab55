//! The input of COGS188 ChessCNNMCTS.

use shakmaty::{Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{PIECE_PLANES, WHITE_AND_BLACK, from_the_top, piece_name, write_pieces_seen},
    reach::reach,
};
use crate::{Game, encoding::LawBreak};

/// `cogs188-14`: fourteen planes from White's view, a8 first.
///
/// | plane | content |
/// |---|---|
/// | 0-5 | White's pawns, knights, bishops, rooks, queens, king |
/// | 6-11 | Black's |
/// | 12 | the targets of White's legal moves, or of those it would have if it were White's turn |
/// | 13 | the same for Black |
///
/// No plane shows who is to move.
#[derive(Clone, Copy, Debug)]
pub struct Cogs188Planes14;

const WHITE_REACH: usize = PIECE_PLANES;
const BLACK_REACH: usize = WHITE_REACH + 1;
const PLANES: usize = BLACK_REACH + 1;

impl InputEncoding for Cogs188Planes14 {
    fn name(&self) -> &'static str {
        "cogs188-14"
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn begins_with_a8(&self) -> bool {
        true
    }

    fn value_viewer(&self, _turn: Color) -> Color {
        Color::White
    }

    fn breaks(&self) -> &'static [LawBreak] {
        &[LawBreak { law: 2, reason: "White's view without the turn, on which the value depends" }]
    }

    fn channel_name(&self, channel: usize) -> String {
        match channel {
            WHITE_REACH => "where White's moves go".into(),
            BLACK_REACH => "where Black's moves go".into(),
            _ => piece_name(WHITE_AND_BLACK, channel),
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let position = game.position();
        write_pieces_seen(position.board(), Color::White, from_the_top, planes);
        planes[WHITE_REACH] = Plane::squares(from_the_top(reach(position, Color::White).0));
        planes[BLACK_REACH] = Plane::squares(from_the_top(reach(position, Color::Black).0));
    }
}
