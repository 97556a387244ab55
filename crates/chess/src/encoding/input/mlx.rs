//! The input of Chess MLX CNN.

use shakmaty::{Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{OWN_AND_THEIR, PIECE_PLANES, piece_name, write_pieces_seen},
};
use crate::{Game, encoding::LawBreak};

/// `mlx-14`: fourteen planes in the mover's view, where Black's view is the board turned by 180 degrees (a1 and h8 change
/// places).
///
/// | plane | content |
/// |---|---|
/// | 0-5 | own pawns, knights, bishops, rooks, queens, king |
/// | 6-11 | the opponent's |
/// | 12 | all ones if the mover may still castle, on either side |
/// | 13 | the square behind a pawn that has just made a double step, whether or not it can be captured |
#[derive(Clone, Copy, Debug)]
pub struct MlxPlanes14;

const CASTLING: usize = PIECE_PLANES;
const EN_PASSANT: usize = CASTLING + 1;
const PLANES: usize = EN_PASSANT + 1;

impl InputEncoding for MlxPlanes14 {
    fn name(&self) -> &'static str {
        "mlx-14"
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn breaks(&self) -> &'static [LawBreak] {
        &[LawBreak {
            law: 2,
            reason: "a turned board is not a chess symmetry: kings, queens and castling change wings for Black",
        }]
    }

    fn channel_name(&self, channel: usize) -> String {
        match channel {
            CASTLING => "own castling".into(),
            EN_PASSANT => "behind a double step".into(),
            _ => piece_name(OWN_AND_THEIR, channel),
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let (position, mover) = (game.position(), game.turn());
        write_pieces_seen(position.board(), mover, |squares| turned(squares, mover), planes);
        planes[CASTLING] = Plane::flag(position.castles().has_color(mover));
        planes[EN_PASSANT] = position
            .maybe_ep_square()
            .map_or(Plane::EMPTY, |square| Plane::squares(turned(1 << u32::from(square), mover)));
    }
}

/// A set of squares as `viewer` sees it: Black's board is turned by 180 degrees.
fn turned(squares: u64, viewer: Color) -> u64 {
    if viewer.is_white() { squares } else { squares.reverse_bits() }
}
