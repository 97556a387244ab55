//! Writing games as PGN.
//!
//! Source: "Standard: Portable Game Notation Specification and Implementation Guide", Steven J. Edwards, 1994: the export
//! format of section 3.2, the seven tag roster of section 8.1, the optional tags of section 9. Every game that any part of
//! the program saves goes through [`PgnGame`], so that one writer has to be right.

pub mod date;
mod movetext;

pub use date::PgnDate;

use std::fmt;

use shakmaty::{CastlingMode, Chess, Color};

use crate::{Game, Outcome, Score, pgn::movetext::Movetext};

/// The result of a game as PGN writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnResult {
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: unfinished, or not known.
    #[default]
    Unknown,
}

impl PgnResult {
    /// The result that has `winner`, or a draw.
    pub fn won_by(winner: Option<Color>) -> Self {
        match winner {
            Some(Color::White) => Self::WhiteWins,
            Some(Color::Black) => Self::BlackWins,
            None => Self::Draw,
        }
    }

    /// The tag value and termination marker.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }
}

impl From<Outcome> for PgnResult {
    fn from(outcome: Outcome) -> Self {
        Self::won_by(outcome.winner)
    }
}

impl fmt::Display for PgnResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A game with everything that its PGN says; its [`Display`](fmt::Display) is the PGN, ended by an empty line.
///
/// # Examples
/// ```
/// use chess::{Game, pgn::{PgnGame, PgnResult}};
///
/// let mut game = Game::default();
/// let first = game.legal_moves()[0];
/// game.play(first)?;
/// let mut pgn = PgnGame::new(&game);
/// pgn.white = "Morphy".into();
/// pgn.result = PgnResult::WhiteWins;
/// assert!(pgn.to_string().contains("[White \"Morphy\"]"));
/// assert!(pgn.to_string().ends_with(" 1-0\n\n"));
/// # Ok::<_, chess::GameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PgnGame<'a> {
    /// The moves and the position they start from.
    pub game: &'a Game,
    /// The tournament or occasion.
    pub event: String,
    /// Where it was played.
    pub site: String,
    /// When it started; `None` writes `????.??.??`.
    pub date: Option<PgnDate>,
    /// The round; `-` where there are none.
    pub round: String,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The result.
    pub result: PgnResult,
    /// Tags beyond the seven, written in this order. `SetUp`, `FEN` and `Variant` are written by themselves.
    pub tags: Vec<(String, String)>,
    /// Comment after each move, by its index; an empty one, or one that is missing, is not written.
    pub comments: Vec<String>,
}

impl<'a> PgnGame<'a> {
    /// A game about which nothing but the moves is known.
    pub fn new(game: &'a Game) -> Self {
        Self {
            game,
            event: "?".into(),
            site: "?".into(),
            date: None,
            round: "?".into(),
            white: "?".into(),
            black: "?".into(),
            result: PgnResult::Unknown,
            tags: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// Adds a tag beyond the seven.
    #[must_use]
    pub fn tag(mut self, name: &str, value: impl Into<String>) -> Self {
        self.tags.push((name.into(), value.into()));
        self
    }
}

impl fmt::Display for PgnGame<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date.map_or_else(|| "????.??.??".into(), |date| date.to_string());
        for (name, value) in [
            ("Event", self.event.as_str()),
            ("Site", &self.site),
            ("Date", &date),
            ("Round", &self.round),
            ("White", &self.white),
            ("Black", &self.black),
            ("Result", self.result.as_str()),
        ] {
            write_tag(formatter, name, value)?;
        }
        let start = &self.game.history()[0].position;
        let mode = self.game.castling_mode();
        if mode.is_chess960() {
            write_tag(formatter, "Variant", "Chess960")?;
        }
        if mode.is_chess960() || *start != Chess::default() {
            write_tag(formatter, "SetUp", "1")?;
            write_tag(formatter, "FEN", &start_fen(start, mode))?;
        }
        for (name, value) in &self.tags {
            write_tag(formatter, name, value)?;
        }
        writeln!(formatter, "\n{}\n", Movetext::new(self.game, &self.comments, self.result))
    }
}

/// The comment in which Lichess and others store an evaluation: White's view, pawns or moves to mate.
///
/// Source: the `[%eval ...]` command of Lichess's database export. `turn` is who the score is for.
pub fn evaluation_comment(score: Score, turn: Color) -> String {
    let white = if turn.is_white() { score } else { score.flipped() };
    match white {
        Score::Centipawns(centipawns) => format!("[%eval {:.2}]", f64::from(centipawns) / 100.0),
        Score::Mate(moves) => format!("[%eval #{moves}]"),
    }
}

fn start_fen(start: &Chess, mode: CastlingMode) -> String {
    Game::from_position(start.clone(), mode).fen()
}

/// Writes a tag pair; a tag name is letters, digits and underscores, so anything else in it is left out.
fn write_tag(formatter: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let name: String =
        name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    let value: String = value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let escaped = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(formatter, "[{name} \"{escaped}\"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(fen: &str, moves: &[&str]) -> Game {
        let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        for text in moves {
            let uci: shakmaty::uci::UciMove = text.parse().unwrap();
            let chess_move = uci.to_move(game.position()).unwrap();
            game.play(chess_move).unwrap();
        }
        game
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_short_game_is_written_whole() {
        let game = played(START, &["f2f3", "e7e5", "g2g4", "d8h4"]);
        let mut pgn = PgnGame::new(&game).tag("Termination", "normal");
        pgn.white = "A \"quoted\" \\ name".into();
        pgn.date = Some(PgnDate { year: 2024, month: 2, day: 29 });
        pgn.result = game.outcome().unwrap().into();
        pgn.comments = vec![String::new(), "[%eval -1.20] a {brace}\nand a break".into()];
        assert_eq!(
            pgn.to_string(),
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"2024.02.29\"]\n[Round \"?\"]\n\
             [White \"A \\\"quoted\\\" \\\\ name\"]\n[Black \"?\"]\n[Result \"0-1\"]\n[Termination \"normal\"]\n\n\
             1. f3 e5 { [%eval -1.20] a (brace) and a break } 2. g4 Qh4# 0-1\n\n"
        );
    }

    #[test]
    fn a_game_from_a_position_says_so_and_numbers_its_moves() {
        let fen = "4k3/8/8/8/8/8/4p3/K7 b - - 3 40";
        let game = played(fen, &["e2e1q", "a1b2"]);
        let text = PgnGame::new(&game).to_string();
        assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{text}");
        assert!(text.ends_with("\n\n40... e1=Q+ 41. Kb2 *\n\n"), "{text}");
    }

    #[test]
    fn chess960_games_say_so() {
        let game = Game::from_position(Chess::default(), CastlingMode::Chess960);
        let text = PgnGame::new(&game).to_string();
        assert!(text.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"rnbqkbnr/"), "{text}");
        assert!(text.ends_with("\n\n*\n\n"), "{text}");
    }

    #[test]
    fn long_games_are_wrapped() {
        let moves: Vec<&str> = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(120).collect();
        let game = played(START, &moves);
        let mut pgn = PgnGame::new(&game);
        pgn.comments = vec!["word ".repeat(40) + &"[%eval 0.15] ".repeat(20); 3];
        let text = pgn.to_string();
        assert_eq!(text.matches("[%eval 0.15]").count(), 60, "commands stay whole");
        assert!(text.lines().all(|line| line.len() < 80), "{text}");
        assert!(text.lines().count() > 20);
    }

    #[test]
    fn evaluations_are_whites() {
        assert_eq!(evaluation_comment(Score::Centipawns(-123), Color::Black), "[%eval 1.23]");
        assert_eq!(evaluation_comment(Score::Centipawns(5), Color::White), "[%eval 0.05]");
        assert_eq!(evaluation_comment(Score::Mate(3), Color::Black), "[%eval #-3]");
    }
}
