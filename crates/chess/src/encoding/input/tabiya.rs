//! The default input: one position in the mover's view, no history.

use shakmaty::{CastlingSide, Position};

use super::{
    InputEncoding, Plane,
    pieces::{OWN_AND_THEIR, PIECE_PLANES, piece_name, viewed, write_pieces},
};
use crate::Game;

/// `tabiya`: twenty planes.
///
/// | plane | content |
/// |---|---|
/// | 0-5 | own pawns, knights, bishops, rooks, queens, king |
/// | 6-11 | the opponent's |
/// | 12, 13 | all ones if the mover may still castle king-side, queen-side |
/// | 14, 15 | the same for the opponent |
/// | 16 | the en passant square, only if the capture is legal |
/// | 17 | plies without capture or pawn move, divided by 100, at most 1 |
/// | 18 | all ones if the position has occurred before |
/// | 19 | all ones: shows the edge of the board under zero padding |
///
/// No earlier positions, because labels often come from single FENs, and a network trained with history plays badly
/// without it (lc0 issue 253).
#[derive(Clone, Copy, Debug)]
pub struct TabiyaPlanes;

const CASTLING: usize = PIECE_PLANES;
const EN_PASSANT: usize = CASTLING + 4;
const RULE_50: usize = EN_PASSANT + 1;
const REPETITION: usize = RULE_50 + 1;
const ONES: usize = REPETITION + 1;
/// Planes of this encoding, which others begin with.
pub(super) const PLANES: usize = ONES + 1;

/// Plies without capture or pawn move at which a draw may be claimed (FIDE 9.3).
const RULE_50_HALF_MOVES: f32 = 100.0;

impl InputEncoding for TabiyaPlanes {
    fn name(&self) -> &'static str {
        "tabiya"
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn channel_name(&self, channel: usize) -> String {
        match channel {
            0..PIECE_PLANES => piece_name(OWN_AND_THEIR, channel),
            CASTLING..EN_PASSANT => {
                let [side, wing] = [(channel - CASTLING) / 2, (channel - CASTLING) % 2];
                format!("{} castling {}", OWN_AND_THEIR[side], ["king-side", "queen-side"][wing])
            }
            EN_PASSANT => "en passant".into(),
            RULE_50 => "plies without capture or pawn move, of 100".into(),
            REPETITION => "repeated position".into(),
            _ => "ones".into(),
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let position = game.position();
        let mover = position.turn();
        write_pieces(position.board(), mover, planes);
        let castles = position.castles();
        let rights = [mover, !mover].into_iter().flat_map(|color| {
            [CastlingSide::KingSide, CastlingSide::QueenSide].map(|side| castles.has(color, side))
        });
        for (plane, right) in planes[CASTLING..EN_PASSANT].iter_mut().zip(rights) {
            *plane = Plane::flag(right);
        }
        planes[EN_PASSANT] = position
            .legal_ep_square()
            .map_or(Plane::EMPTY, |square| Plane::squares(viewed(1 << u32::from(square), mover)));
        planes[RULE_50] = Plane::constant((position.halfmoves() as f32 / RULE_50_HALF_MOVES).min(1.0));
        planes[REPETITION] = Plane::flag(game.repetitions() > 0);
        planes[ONES] = Plane::flag(true);
    }
}
