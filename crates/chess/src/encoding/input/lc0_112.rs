//! The classical input of Leela Chess Zero.

use shakmaty::{CastlingSide, Chess, Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{OWN_AND_THEIR, PIECE_PLANES, piece_name, viewed, write_pieces},
};
use crate::{Game, game::HistoryEntry};

/// Substitute for the positions before the first known one (lc0's option `HistoryFill`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryFill {
    /// Empty planes.
    No,
    /// The oldest known position, unless it is the orthodox starting position: lc0's default.
    FenOnly,
    /// The oldest known position.
    Always,
}

/// `lc0-112`, `lc0-112-fill-no`, `lc0-112-fill-always`: eight positions of thirteen planes, then eight for the state
/// (lc0, `INPUT_CLASSICAL_112_PLANE`, `src/neural/encoder.cc`).
///
/// | plane | content |
/// |---|---|
/// | 13 i + 0-5 | own pawns, knights, bishops, rooks, queens, king, i positions ago (i = 0 .. 7) |
/// | 13 i + 6-11 | the opponent's |
/// | 13 i + 12 | all ones if that position had occurred before |
/// | 104, 105 | all ones if the mover may castle queen-side, king-side |
/// | 106, 107 | the same for the opponent |
/// | 108 | all ones if Black is to move |
/// | 109 | plies without capture or pawn move, not scaled |
/// | 110 | zeros (formerly the move count) |
/// | 111 | all ones |
///
/// "Own" is the side to move in the current position, also in earlier positions. A position that replaces an unknown
/// earlier one is shown before its last pawn's double step, if it has an en passant square.
#[derive(Clone, Copy, Debug)]
pub struct Lc0Planes112 {
    /// Substitute for the positions before the first known one.
    pub fill: HistoryFill,
}

pub(super) const POSITIONS: usize = 8;
const REPETITION: usize = PIECE_PLANES;
pub(super) const PLANES_PER_POSITION: usize = PIECE_PLANES + 1;
pub(super) const CASTLING: usize = POSITIONS * PLANES_PER_POSITION;
const BLACK_TO_MOVE: usize = CASTLING + 4;
pub(super) const RULE_50: usize = BLACK_TO_MOVE + 1;
const ZEROS: usize = RULE_50 + 1;
const ONES: usize = ZEROS + 1;
pub(super) const PLANES: usize = ONES + 1;

const OPPONENT_PAWNS: usize = 6;

impl InputEncoding for Lc0Planes112 {
    fn name(&self) -> &'static str {
        match self.fill {
            HistoryFill::No => "lc0-112-fill-no",
            HistoryFill::FenOnly => "lc0-112",
            HistoryFill::Always => "lc0-112-fill-always",
        }
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn history(&self) -> usize {
        POSITIONS
    }

    fn colour_planes(&self) -> &'static [usize] {
        &[BLACK_TO_MOVE]
    }

    fn channel_name(&self, channel: usize) -> String {
        match channel {
            0..CASTLING => {
                let (ago, plane) = (channel / PLANES_PER_POSITION, channel % PLANES_PER_POSITION);
                let name = match plane {
                    REPETITION => "repeated position".into(),
                    _ => piece_name(OWN_AND_THEIR, plane),
                };
                match ago {
                    0 => name,
                    1 => format!("{name}, 1 ply ago"),
                    _ => format!("{name}, {ago} plies ago"),
                }
            }
            CASTLING..BLACK_TO_MOVE => {
                let [side, wing] = [(channel - CASTLING) / 2, (channel - CASTLING) % 2];
                format!("{} castling {}", OWN_AND_THEIR[side], ["queen-side", "king-side"][wing])
            }
            BLACK_TO_MOVE => "Black to move".into(),
            RULE_50 => "plies without capture or pawn move".into(),
            ZEROS => "zeros".into(),
            _ => "ones".into(),
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let mover = game.turn();
        let known = game.history();
        let known = &known[known.len().saturating_sub(POSITIONS)..];
        let mut blocks = planes[..CASTLING].chunks_exact_mut(PLANES_PER_POSITION);
        for (entry, block) in known.iter().rev().zip(&mut blocks) {
            write_position(entry, mover, block);
        }
        // Fewer than eight positions are known only if the first of them starts the game.
        let oldest = &known[0];
        let filled = known.len() < POSITIONS && self.fills_with(&oldest.position);
        for block in blocks {
            if filled {
                write_position(oldest, mover, block);
                undo_double_step(&oldest.position, mover, block);
            } else {
                block.fill(Plane::EMPTY);
            }
        }
        write_state(game.position(), &mut planes[CASTLING..]);
    }
}

impl Lc0Planes112 {
    fn fills_with(self, oldest: &Chess) -> bool {
        match self.fill {
            HistoryFill::No => false,
            HistoryFill::FenOnly => *oldest != Chess::default(),
            HistoryFill::Always => true,
        }
    }
}

pub(super) fn write_position(entry: &HistoryEntry, viewer: Color, block: &mut [Plane]) {
    write_pieces(entry.position.board(), viewer, block);
    block[REPETITION] = Plane::flag(entry.repetitions > 0);
}

/// Puts the pawn that made the double step before `position` back on its first square.
fn undo_double_step(position: &Chess, viewer: Color, block: &mut [Plane]) {
    let Some(skipped) = position.maybe_ep_square() else { return };
    let stepped = !position.turn();
    let pawns = if stepped == viewer { 0 } else { OPPONENT_PAWNS };
    let skipped = viewed(1 << u32::from(skipped), viewer);
    // One rank to either side of the skipped square: the pawn leaves one and returns to the other.
    block[pawns].mask ^= skipped << 8 | skipped >> 8;
}

pub(super) fn write_state(position: &Chess, state: &mut [Plane]) {
    let mover = position.turn();
    let castles = position.castles();
    let rights = [mover, !mover].into_iter().flat_map(|color| {
        [CastlingSide::QueenSide, CastlingSide::KingSide].map(|side| castles.has(color, side))
    });
    for (plane, right) in state[..4].iter_mut().zip(rights) {
        *plane = Plane::flag(right);
    }
    state[BLACK_TO_MOVE - CASTLING] = Plane::flag(mover.is_black());
    state[RULE_50 - CASTLING] = Plane::constant(position.halfmoves() as f32);
    state[ZEROS - CASTLING] = Plane::EMPTY;
    state[ONES - CASTLING] = Plane::flag(true);
}
