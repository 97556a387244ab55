//! The inputs of Knights and Kernels that have a channel for each kind of piece.

use shakmaty::{Board, Color, Position, Role};

use super::{
    InputEncoding, Plane,
    pieces::{PIECE_PLANES, ROLE_NAMES, WHITE_AND_BLACK, write_signed_pieces},
};
use crate::{Game, encoding::LawBreak};

/// The numbers after the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnightsNumbers {
    /// No numbers.
    None,
    /// Ten numbers about the pieces on the board, as in the last network (E8).
    Pieces,
    /// The turn, and whether the side to move can capture. In the original E4 it was whether the next move
    /// played was a capture, which a position does not determine.
    TurnCapture,
}

/// `knights-6`, `knights-6-10`, `knights-6-2`: six channels from White's view, a8 first, and the numbers after them.
///
/// | encoding | channel | content |
/// |---|---|---|
/// | all | 0-5 | pawns, knights, bishops, rooks, queens, kings: 1 to 6 where White has one, -1 to -6 where Black has |
/// | `knights-6-10` | 6-10 | White's pawns, knights, bishops, rooks, queens: their number divided by that at the start, times 1, 3, 3.1, 5, 9 |
/// | | 11-15 | Black's, negative |
/// | `knights-6-2` | 6 | 1 if White is to move |
/// | | 7 | 1 if the side to move can capture |
///
/// Planes 2i and 2i + 1 are White's and Black's part of channel i. Except in `knights-6-2`, no channel shows who is to move.
#[derive(Clone, Copy, Debug)]
pub struct KnightsPlanes {
    /// The numbers after the board.
    pub numbers: KnightsNumbers,
}

const BOARD_CHANNELS: usize = 6;

/// Pieces of a side at the start and their values in pawns.
const PIECES: [(Role, f32, f32); 5] = [
    (Role::Pawn, 8.0, 1.0),
    (Role::Knight, 2.0, 3.0),
    (Role::Bishop, 2.0, 3.1),
    (Role::Rook, 2.0, 5.0),
    (Role::Queen, 1.0, 9.0),
];

const TURN_CAPTURE: [&str; 2] = ["White to move", "a capture is possible"];

impl InputEncoding for KnightsPlanes {
    fn name(&self) -> &'static str {
        match self.numbers {
            KnightsNumbers::None => "knights-6",
            KnightsNumbers::Pieces => "knights-6-10",
            KnightsNumbers::TurnCapture => "knights-6-2",
        }
    }

    fn planes(&self) -> usize {
        PIECE_PLANES + self.scalars()
    }

    fn channels(&self) -> usize {
        BOARD_CHANNELS + self.scalars()
    }

    fn channel(&self, plane: usize) -> usize {
        if plane < PIECE_PLANES { plane / 2 } else { plane - PIECE_PLANES + BOARD_CHANNELS }
    }

    fn scalars(&self) -> usize {
        match self.numbers {
            KnightsNumbers::None => 0,
            KnightsNumbers::Pieces => 2 * PIECES.len(),
            KnightsNumbers::TurnCapture => TURN_CAPTURE.len(),
        }
    }

    fn begins_with_a8(&self) -> bool {
        true
    }

    fn value_viewer(&self, _turn: Color) -> Color {
        Color::White
    }

    fn breaks(&self) -> &'static [LawBreak] {
        match self.numbers {
            KnightsNumbers::TurnCapture => {
                &[LawBreak { law: 2, reason: "White's view; Black's pieces are negative numbers" }]
            }
            KnightsNumbers::None | KnightsNumbers::Pieces => &[LawBreak {
                law: 2,
                reason: "White's view without the turn; Black's pieces are negative numbers",
            }],
        }
    }

    fn channel_name(&self, channel: usize) -> String {
        let Some(number) = channel.checked_sub(BOARD_CHANNELS) else { return ROLE_NAMES[channel].into() };
        if self.numbers == KnightsNumbers::TurnCapture {
            return TURN_CAPTURE[number].into();
        }
        let (side, role) = (WHITE_AND_BLACK[number / PIECES.len()], ROLE_NAMES[number % PIECES.len()]);
        format!("{side} {role} left")
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let board = game.position().board();
        let (pieces, numbers) = planes.split_at_mut(PIECE_PLANES);
        write_signed_pieces(board, pieces);
        match self.numbers {
            KnightsNumbers::None => {}
            KnightsNumbers::Pieces => {
                for (plane, number) in numbers.iter_mut().zip(piece_numbers(board)) {
                    *plane = Plane::constant(number);
                }
            }
            KnightsNumbers::TurnCapture => {
                numbers[0] = Plane::flag(game.turn().is_white());
                numbers[1] = Plane::flag(!game.position().capture_moves().is_empty());
            }
        }
    }
}

fn sign(color: Color) -> f32 {
    if color.is_white() { 1.0 } else { -1.0 }
}

fn piece_numbers(board: &Board) -> impl Iterator<Item = f32> {
    [Color::White, Color::Black].into_iter().flat_map(move |color| {
        PIECES.into_iter().map(move |(role, at_start, value)| {
            let count = (board.by_color(color) & board.by_role(role)).count() as f32;
            sign(color) * count / at_start * value
        })
    })
}
