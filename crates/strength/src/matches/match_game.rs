//! A finished game of a match: its players, moves, and end.

use std::time::{Duration, SystemTime};

use chess::{
    Color, Game, Position as _,
    pgn::{ClockText, PgnDate, PgnGame, PgnResult, evaluation_comment},
};
use serde::{Deserialize, Serialize};

use super::termination::{Termination, TerminationKind};
use crate::player::MoveInfo;

/// A finished game of a match, with what the players reported at each move.
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

impl MatchGame {
    /// The game as PGN. `names` are the names of the first and second player; evaluations are the mover's, written from
    /// White's view.
    pub fn pgn(&self, names: &[String; 2], finished: SystemTime) -> PgnGame<'_> {
        let termination = &self.termination;
        let mut pgn = PgnGame::new(&self.game)
            .tag("PlyCount", self.game.ply().to_string())
            .tag("Opening", self.opening.clone())
            .tag("Termination", termination.kind.pgn_word())
            .tag("TerminationKind", termination.kind.to_string());
        if let Some(detail) = &termination.detail {
            pgn = pgn.tag("TerminationDetail", detail.clone());
        }
        pgn.event = format!("{} against {}", names[0], names[1]);
        pgn.site = "tabiya match".into();
        pgn.date = Some(PgnDate::from_utc(finished));
        pgn.round = format!("{}.{}", self.pair + 1, self.index % 2 + 1);
        [pgn.white, pgn.black] =
            [Color::White, Color::Black].map(|color| names[self.side_of(color) as usize].clone());
        pgn.result = self.result();
        let first_mover = self.game.history()[self.opening_plies].position.turn();
        let played = self.played.iter().enumerate().map(|(number, played)| {
            comment(played, if number % 2 == 0 { first_mover } else { !first_mover })
        });
        pgn.comments = std::iter::repeat_n(String::new(), self.opening_plies).chain(played).collect();
        pgn
    }
}

/// `[%eval]` as Lichess writes it, `[%emt]` (elapsed move time), then depth and nodes in the same form.
fn comment(played: &MatchMove, mover: Color) -> String {
    let info = played.info;
    let parts = [
        info.score.map(|score| evaluation_comment(score, mover)),
        Some(format!("[%emt {:.3}]", ClockText(played.elapsed))),
        info.depth.map(|depth| format!("[%depth {depth}]")),
        info.nodes.map(|nodes| format!("[%nodes {nodes}]")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
