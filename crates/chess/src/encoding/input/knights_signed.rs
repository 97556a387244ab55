//! The inputs of Knights and Kernels that have all pieces in one channel.

use shakmaty::{Bitboard, Color, Position};

use super::{
    InputEncoding, Plane,
    pieces::{PIECE_PLANES, from_the_top, write_signed_pieces},
    reach::reach,
};
use crate::{Game, encoding::LawBreak};

/// Channels after the piece channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnightsBeside {
    /// Nothing, as in the second network of moves (SL V2).
    Nothing,
    /// Two numbers, the turn and checks, as in the generations E1 and E3.
    TurnCheck,
    /// Two channels, where legal moves go and where they come from, as in the fourth network of moves (SL V4).
    MoveSquares,
}

/// `knights-1`, `knights-1-2`, `knights-3`: one channel of pieces from White's view, a8 first, and what follows it.
///
/// | encoding | channel | content |
/// |---|---|---|
/// | all | 0 | 1 to 6 where White has a pawn, knight, bishop, rook, queen or king, -1 to -6 where Black has |
/// | `knights-1-2` | 1 | number: 1 if White is to move |
/// | | 2 | number: 1 if the side to move is in check |
/// | `knights-3` | 1 | the squares that legal moves go to; for castling, where the king goes |
/// | | 2 | the squares that they come from |
///
/// Planes 2i and 2i + 1 are White's and Black's pieces of one kind. Pawns and kings differ only by the size of a number in one
/// channel, so a king is as loud as six pawns.
#[derive(Clone, Copy, Debug)]
pub struct KnightsSignedPlane {
    /// Channels after the piece channel.
    pub beside: KnightsBeside,
}

impl KnightsBeside {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Nothing => &[],
            Self::TurnCheck => &["White to move", "check"],
            Self::MoveSquares => &["where moves go", "where moves come from"],
        }
    }
}

impl InputEncoding for KnightsSignedPlane {
    fn name(&self) -> &'static str {
        match self.beside {
            KnightsBeside::Nothing => "knights-1",
            KnightsBeside::TurnCheck => "knights-1-2",
            KnightsBeside::MoveSquares => "knights-3",
        }
    }

    fn planes(&self) -> usize {
        PIECE_PLANES + self.beside.names().len()
    }

    fn channels(&self) -> usize {
        1 + self.beside.names().len()
    }

    fn channel(&self, plane: usize) -> usize {
        if plane < PIECE_PLANES { 0 } else { plane - PIECE_PLANES + 1 }
    }

    fn scalars(&self) -> usize {
        match self.beside {
            KnightsBeside::TurnCheck => self.beside.names().len(),
            KnightsBeside::Nothing | KnightsBeside::MoveSquares => 0,
        }
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
        let Some(beside) = channel.checked_sub(1) else { return "pieces".into() };
        self.beside.names()[beside].into()
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let position = game.position();
        let (pieces, beside) = planes.split_at_mut(PIECE_PLANES);
        write_signed_pieces(position.board(), pieces);
        match self.beside {
            KnightsBeside::Nothing => {}
            KnightsBeside::TurnCheck => {
                beside[0] = Plane::flag(game.turn().is_white());
                beside[1] = Plane::flag(position.is_check());
            }
            KnightsBeside::MoveSquares => {
                let moves = position.legal_moves();
                let sources: Bitboard = moves.iter().filter_map(|chess_move| chess_move.from()).collect();
                beside[0] = Plane::squares(from_the_top(reach(position, game.turn()).0));
                beside[1] = Plane::squares(from_the_top(sources.0));
            }
        }
    }
}
