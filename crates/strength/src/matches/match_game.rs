//! A finished game of a match: its players, moves, and end.

use std::{fmt, time::Duration};

use chess::{Color, Ending, Game, Outcome, pgn::PgnResult};
use serde::{Deserialize, Serialize};

use crate::player::MoveInfo;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The first player, for whom results are counted.
    First,
    /// The opponent; results are counted for the first player.
    Second,
}

impl Side {
    /// The opponent of this player.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
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
    /// The result that endgame tables give.
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

/// A move of a player, in the order played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchMove {
    /// Time from request to answer.
    pub elapsed: Duration,
    /// The player's report: evaluation, depth, nodes.
    pub info: MoveInfo,
}

/// A game of a match.
#[derive(Clone, Debug)]
pub struct MatchGame {
    /// Number of the game, from 0.
    pub index: u32,
    /// Number of the pair of games with this opening, from 0.
    pub pair: u32,
    /// The player with the white pieces.
    pub white: Side,
    /// Name of the opening, as its book gives it.
    pub opening: String,
    /// Moves at the start of [`MatchGame::game`] that the opening gave.
    pub opening_plies: usize,
    /// The game from the first move of the opening on.
    pub game: Game,
    /// One entry for each move after the opening.
    pub played: Vec<MatchMove>,
    /// Reason for the end of the game, and its loser.
    pub termination: Termination,
}

impl MatchGame {
    /// The player with this colour.
    pub fn side_of(&self, color: Color) -> Side {
        if color.is_white() { self.white } else { self.white.other() }
    }

    /// Half points of the first player: 0 lost, 1 drawn, 2 won; `None` for an interrupted game.
    pub fn half_points(&self) -> Option<u8> {
        match (self.termination.kind, self.termination.loser) {
            (TerminationKind::Interrupted, _) => None,
            (_, None) => Some(1),
            (_, Some(loser)) if self.side_of(loser) == Side::First => Some(0),
            _ => Some(2),
        }
    }

    /// The result as PGN writes it.
    pub fn result(&self) -> PgnResult {
        match self.termination.kind {
            TerminationKind::Interrupted => PgnResult::Unknown,
            _ => PgnResult::won_by(self.termination.loser.map(|loser| !loser)),
        }
    }
}
