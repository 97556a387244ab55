//! The input of the first networks of Knights and Kernels.

use shakmaty::{Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{ROLES, from_the_top},
};
use crate::{Game, encoding::LawBreak};

/// `knights-1-2`: one channel from White's view, a8 first, and two numbers, as in the generations E1 and E3.
///
/// | channel | content |
/// |---|---|
/// | 0 | 1 to 6 where White has a pawn, knight, bishop, rook, queen or king, -1 to -6 where Black has |
/// | 1 | number: 1 if White is to move |
/// | 2 | number: 1 if the side to move is in check |
///
/// Planes 2i and 2i + 1 are White's and Black's pieces of one kind. Pawns and kings are one number of one channel, so that a king
/// is six pawns loud.
#[derive(Clone, Copy, Debug)]
pub struct KnightsTurnCheckPlanes;

const BOARD_PLANES: usize = 2 * ROLES.len();
const TURN: usize = BOARD_PLANES;
const CHECK: usize = TURN + 1;
const NUMBERS: usize = 2;

impl InputEncoding for KnightsTurnCheckPlanes {
    fn name(&self) -> &'static str {
        "knights-1-2"
    }

    fn planes(&self) -> usize {
        BOARD_PLANES + NUMBERS
    }

    fn history(&self) -> usize {
        1
    }

    fn channels(&self) -> usize {
        1 + NUMBERS
    }

    fn channel(&self, plane: usize) -> usize {
        if plane < BOARD_PLANES { 0 } else { plane - BOARD_PLANES + 1 }
    }

    fn scalars(&self) -> usize {
        NUMBERS
    }

    fn begins_with_a8(&self) -> bool {
        true
    }

    fn value_viewer(&self, _turn: Color) -> Color {
        Color::White
    }

    fn breaks(&self) -> &'static [LawBreak] {
        &[LawBreak { law: 2, reason: "White's view; Black's pieces are negative numbers" }]
    }

    fn channel_name(&self, channel: usize) -> String {
        ["pieces", "White to move", "check"][channel].into()
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let position = game.position();
        let board = position.board();
        for (plane, place) in planes[..BOARD_PLANES].iter_mut().zip(0..) {
            let (color, sign) = if place % 2 == 0 { (Color::White, 1.0) } else { (Color::Black, -1.0) };
            let squares = board.by_color(color) & board.by_role(ROLES[place / 2]);
            *plane = Plane { mask: from_the_top(squares.0), value: sign * (place / 2 + 1) as f32 };
        }
        planes[TURN] = Plane::flag(game.turn().is_white());
        planes[CHECK] = Plane::flag(position.is_check());
    }
}
