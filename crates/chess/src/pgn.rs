//! Writing games as PGN.
//!
//! Source: "Standard: Portable Game Notation Specification and Implementation Guide", Steven J. Edwards, 1994: the export
//! format of section 3.2, the seven tag roster of section 8.1, the optional tags of section 9. [`PgnGame`] writes every game
//! that the program saves.

pub mod date;
mod movetext;
mod result;

pub use date::PgnDate;
pub use result::PgnResult;

use std::{fmt, time::Duration};

use shakmaty::{Chess, Color, Move};

use self::movetext::Movetext;
use crate::{Game, Score, printable};

/// A game with tags and comments; its [`Display`](fmt::Display) is the PGN with an empty line at the end.
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
    /// The moves and the starting position.
    pub game: &'a Game,
    /// Name of the tournament or match; `?` if unknown.
    pub event: String,
    /// Place, or address on the web; `?` if unknown.
    pub site: String,
    /// Day it started; `None` is written as `????.??.??`.
    pub date: Option<PgnDate>,
    /// Round of the tournament; `?` if unknown, `-` if inappropriate.
    pub round: String,
    /// Name of the player with the white pieces; `?` if unknown.
    pub white: String,
    /// Name of the player with the black pieces; `?` if unknown.
    pub black: String,
    /// The result, for the tag and after the last move.
    pub result: PgnResult,
    /// Tags after the seven of the roster, in this order. `SetUp`, `FEN` and `Variant` are added automatically.
    pub tags: Vec<(String, String)>,
    /// Comment before the first move; an empty one is not written.
    pub first_comment: String,
    /// Comments by index of the move they follow; empty or missing ones are not written.
    pub comments: Vec<String>,
    /// Variations of one move by index of the move that they replace, written after its comment.
    pub alternatives: Vec<Option<Move>>,
}

impl<'a> PgnGame<'a> {
    /// A game with nothing but its moves; names are `?`, the result unknown.
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
            first_comment: String::new(),
            comments: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    /// Adds a tag after the seven of the roster.
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
            write_tag(formatter, "FEN", &self.game.start_fen())?;
        }
        for (name, value) in &self.tags {
            write_tag(formatter, name, value)?;
        }
        let Self { game, first_comment, comments, alternatives, result, .. } = self;
        let movetext = Movetext { game, first_comment, comments, alternatives, result: *result };
        writeln!(formatter, "\n{movetext}\n")
    }
}

/// The comment in which Lichess stores an evaluation (`[%eval ...]` of its database export): White's view, in pawns or
/// moves to mate. `turn` is the side to move; `score` is from its view.
pub fn evaluation_comment(score: Score, turn: Color) -> String {
    let white = if turn.is_white() { score } else { score.flipped() };
    match white {
        Score::Centipawns(centipawns) => format!("[%eval {:.2}]", f64::from(centipawns) / 100.0),
        Score::Mate(moves) => format!("[%eval #{moves}]"),
    }
}

/// A time in the format of `[%clk]` and `[%emt]` (PGN supplement of 2001), `1:02:03`; with the precision 3,
/// `1:02:03.456`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockText(pub Duration);

impl fmt::Display for ClockText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        write!(formatter, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        match formatter.precision() {
            Some(3) => write!(formatter, ".{:03}", self.0.subsec_millis()),
            _ => Ok(()),
        }
    }
}

/// Writes a tag pair. Characters other than letters, digits and underscores are dropped from the name.
fn write_tag(formatter: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let name: String =
        name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    let escaped = printable(value, &[]).trim().replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(formatter, "[{name} \"{escaped}\"]")
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn clock_times() {
        let time = ClockText(Duration::from_millis(3_723_456));
        assert_eq!(
            format!("{time} {time:.3} {:.3}", ClockText(Duration::from_millis(7))),
            "1:02:03 1:02:03.456 0:00:00.007"
        );
    }

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
    fn an_analysed_game_has_an_evaluation_before_its_first_move_and_better_moves() {
        let game = played(START, &["f2f3", "e7e5", "g2g4"]);
        let mut pgn = PgnGame::new(&game);
        pgn.first_comment = "[%eval 0.30]".into();
        pgn.comments = vec!["[%eval -0.40]".into()];
        let better = |ply: usize, uci: &str| {
            let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
            uci.to_move(&game.history()[ply].position).ok()
        };
        pgn.alternatives = vec![better(0, "e2e4"), better(1, "b8c6"), None];
        let expected = "{ [%eval 0.30] } 1. f3 { [%eval -0.40] } ( 1. e4 ) 1... e5 ( 1... Nc6 ) 2. g4 *";
        assert_eq!(pgn.to_string().lines().nth(8), Some(expected));
    }

    #[test]
    fn a_game_from_a_position_has_its_fen_and_move_numbers() {
        let fen = "4k3/8/8/8/8/8/4p3/K7 b - - 3 40";
        let game = played(fen, &["e2e1q", "a1b2"]);
        let text = PgnGame::new(&game).to_string();
        assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{text}");
        assert!(text.ends_with("\n\n40... e1=Q+ 41. Kb2 *\n\n"), "{text}");
    }

    #[test]
    fn chess960_games_have_the_variant_tag() {
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
