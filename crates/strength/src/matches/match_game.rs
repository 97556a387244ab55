//! A finished game of a match: its players, moves, and end.

use std::time::Duration;

use chess::{Color, Game, pgn::PgnResult};
use serde::{Deserialize, Serialize};

use super::termination::{Termination, TerminationKind};
use crate::player::MoveInfo;

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

/// A move of a player, in the order played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchMove {
    /// Time from the request to the answer.
    pub elapsed: Duration,
    /// The player's report: evaluation, depth, nodes.
    pub info: MoveInfo,
}

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
