//! Endings of games: every ending of the FIDE laws by name.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// Half-moves without capture or pawn move after which a draw can be claimed (FIDE 9.3).
pub const FIFTY_MOVES: u32 = 100;
/// Half-moves without capture or pawn move after which a game is drawn without a claim (FIDE 9.6.2).
pub const SEVENTY_FIVE_MOVES: u32 = 150;

/// The rule by which a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The side to move is in check and has no legal move: it has lost.
    Checkmate,
    /// The side to move has no legal move and is not in check: draw.
    Stalemate,
    /// Neither side can ever give checkmate: draw.
    InsufficientMaterial,
    /// The position has occurred three times; a draw when claimed (FIDE 9.2).
    ThreefoldRepetition,
    /// The position has occurred five times: draw without a claim (FIDE 9.6.1).
    FivefoldRepetition,
    /// Fifty moves by each side without capture or pawn move; a draw when claimed (FIDE 9.3).
    FiftyMoves,
    /// Seventy-five moves by each side without capture or pawn move: draw without a claim (FIDE 9.6.2).
    SeventyFiveMoves,
}

impl Ending {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient_material",
            Self::ThreefoldRepetition => "threefold_repetition",
            Self::FivefoldRepetition => "fivefold_repetition",
            Self::FiftyMoves => "fifty_moves",
            Self::SeventyFiveMoves => "seventy_five_moves",
        }
    }

    /// True if a player must claim the ending; all others end the game at once.
    pub fn needs_claim(self) -> bool {
        matches!(self, Self::ThreefoldRepetition | Self::FiftyMoves)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name().replace('_', " "))
    }
}

/// The result of a finished game and why it is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The rule that ended the game.
    pub ending: Ending,
    /// The winner, or `None` for a draw.
    pub winner: Option<Color>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        for ending in [
            Ending::Checkmate,
            Ending::Stalemate,
            Ending::InsufficientMaterial,
            Ending::ThreefoldRepetition,
            Ending::FivefoldRepetition,
            Ending::FiftyMoves,
            Ending::SeventyFiveMoves,
        ] {
            assert_eq!(serde_json::to_value(ending).unwrap(), ending.name());
        }
    }
}
