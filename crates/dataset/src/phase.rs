//! Opening, middlegame and endgame, by plies and material.

use crate::packed_position::PackedPosition;

/// Pieces besides kings and pawns of both sides, in pawns, up to which a position is an endgame: 13 a side (J. Speelman,
/// Endgame Preparation, 1981).
const ENDGAME_PIECES: u8 = 26;

/// Plies before which a position that is not an endgame belongs to the opening: ten moves of each side. A
/// round number, not tuned; used only in statistics and queries.
const OPENING_PLIES: u16 = 20;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first ten moves of each side.
    Opening,
    /// Neither opening nor endgame.
    Middlegame,
    /// At any ply, pieces other than kings and pawns worth at most 26 pawns in total.
    Endgame,
}

impl Phase {
    /// The phase of a position with this number of plies before it.
    pub fn of(position: &PackedPosition, ply: u16) -> Self {
        if pieces(position) <= ENDGAME_PIECES {
            Self::Endgame
        } else if ply < OPENING_PLIES {
            Self::Opening
        } else {
            Self::Middlegame
        }
    }

    /// `opening`, `middlegame` or `endgame`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        }
    }
}

fn pieces(position: &PackedPosition) -> u8 {
    position.material() - position.pawns()
}
