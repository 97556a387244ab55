//! The end of a game of a match: the rule or failure that ended it, and the loser.

use std::fmt;

use chess::{Color, Ending, Outcome};
use serde::{Deserialize, Serialize};

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termination {
    /// The rule or failure that ended it.
    pub kind: TerminationKind,
    /// The colour that lost; `None` for draws and interrupted games.
    pub loser: Option<Color>,
    /// Details, such as the error of a player that failed.
    pub detail: Option<String>,
}

impl From<Outcome> for Termination {
    fn from(outcome: Outcome) -> Self {
        let kind = match outcome.ending {
            Ending::Checkmate => TerminationKind::Checkmate,
            Ending::Stalemate => TerminationKind::Stalemate,
            Ending::InsufficientMaterial => TerminationKind::InsufficientMaterial,
            Ending::ThreefoldRepetition | Ending::FivefoldRepetition => TerminationKind::Repetition,
            Ending::FiftyMoves | Ending::SeventyFiveMoves => TerminationKind::FiftyMoves,
        };
        Self { kind, loser: outcome.winner.map(|winner| !winner), detail: None }
    }
}

/// Every way in which a game of a match can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminationKind {
    /// The loser is checkmated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Draw, because neither side can checkmate.
    InsufficientMaterial,
    /// Draw by the third (or fifth) occurrence of a position.
    Repetition,
    /// Draw by fifty (or seventy-five) moves without capture or pawn move.
    FiftyMoves,
    /// Draw by the match's limit on the length of a game.
    MaximalLength,
    /// Draw by agreement of both evaluations.
    DrawAdjudication,
    /// Loss by agreement of both evaluations.
    ResignAdjudication,
    /// Adjudicated by tablebase.
    EndgameTable,
    /// The loser played an illegal move.
    IllegalMove,
    /// The loser's answer was not a move.
    UnreadableMove,
    /// The loser's process ended in the middle of the game.
    Crash,
    /// The loser took too long.
    TimeForfeit,
    /// The loser, without a time limit, did not answer.
    Unresponsive,
    /// The match was stopped; the game has no result.
    Interrupted,
}

impl TerminationKind {
    /// True if a player's failure decided the game.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::IllegalMove | Self::UnreadableMove | Self::Crash | Self::TimeForfeit | Self::Unresponsive
        )
    }

    /// The word for the PGN tag `Termination`, from the list in section 9.8.1 of the PGN standard.
    pub fn pgn_word(self) -> &'static str {
        match self {
            Self::MaximalLength | Self::DrawAdjudication | Self::ResignAdjudication | Self::EndgameTable => {
                "adjudication"
            }
            Self::IllegalMove | Self::UnreadableMove => "rules infraction",
            Self::Crash | Self::Unresponsive => "abandoned",
            Self::TimeForfeit => "time forfeit",
            Self::Interrupted => "unterminated",
            _ => "normal",
        }
    }
}

impl fmt::Display for TerminationKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::Repetition => "repetition",
            Self::FiftyMoves => "fifty moves",
            Self::MaximalLength => "maximal length",
            Self::DrawAdjudication => "draw adjudication",
            Self::ResignAdjudication => "resign adjudication",
            Self::EndgameTable => "endgame table",
            Self::IllegalMove => "illegal move",
            Self::UnreadableMove => "unreadable move",
            Self::Crash => "crash",
            Self::TimeForfeit => "time forfeit",
            Self::Unresponsive => "unresponsive",
            Self::Interrupted => "interrupted",
        })
    }
}
