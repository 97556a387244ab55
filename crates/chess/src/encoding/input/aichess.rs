//! The input of AIChess.

use shakmaty::{Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{PIECE_PLANES, WHITE_AND_BLACK, from_the_top, piece_name, write_pieces_seen},
};
use crate::{Game, encoding::LawBreak};

/// `aichess-13`: thirteen planes from White's view, a8 first.
///
/// | plane | content |
/// |---|---|
/// | 0-5 | White's pawns, knights, bishops, rooks, queens, king |
/// | 6-11 | Black's |
/// | 12 | all ones if White is to move |
///
/// No castling rights, en passant, clock or repetition.
#[derive(Clone, Copy, Debug)]
pub struct AiChessPlanes13;

const WHITE_TO_MOVE: usize = PIECE_PLANES;
const PLANES: usize = WHITE_TO_MOVE + 1;

impl InputEncoding for AiChessPlanes13 {
    fn name(&self) -> &'static str {
        "aichess-13"
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
        &[LawBreak { law: 2, reason: "White's view with a turn plane: each colour is learned by itself" }]
    }

    fn channel_name(&self, channel: usize) -> String {
        if channel == WHITE_TO_MOVE { "White to move".into() } else { piece_name(WHITE_AND_BLACK, channel) }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        write_pieces_seen(game.position().board(), Color::White, from_the_top, planes);
        planes[WHITE_TO_MOVE] = Plane::flag(game.turn().is_white());
    }
}
