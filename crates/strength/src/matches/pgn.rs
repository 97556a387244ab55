//! Games of a match as PGN, with evaluation, time, depth and nodes of each move.

use std::time::SystemTime;

use chess::{
    Color, Position as _,
    pgn::{ClockText, PgnDate, PgnGame, evaluation_comment},
};

use super::match_game::{MatchGame, MatchMove};

impl MatchGame {
    /// The game as PGN. `names` are the names of the first and second player; evaluations are the mover's, written from
    /// White's view.
    pub fn pgn(&self, names: &[String; 2], finished: SystemTime) -> PgnGame<'_> {
        let name = |color| names[self.side_of(color) as usize].clone();
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
        pgn.white = name(Color::White);
        pgn.black = name(Color::Black);
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
