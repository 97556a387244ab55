//! Test suites: positions with known best moves, moves to avoid, or a score for every good move.
//! Their files may also hold puzzles: [`read_problems`] reads either.

mod result;

use std::path::Path;

use chess::{
    Chess, Epd, Game, Move,
    notation::{parse_san, parse_uci_move},
    shakmaty::san::SanPlus,
};

use crate::{
    lines::{LineError, Lines, Positions},
    puzzles::{self, Puzzle},
};

pub use result::{SuiteAnswer, SuiteBaseline, SuiteResult, play_suite};

/// A test position with the moves that solve it.
#[derive(Clone, Debug)]
pub struct SuitePosition {
    /// Its name, the `id` of the EPD, or its line.
    pub id: String,
    /// The position, as the start of a game.
    pub game: Game,
    /// `bm`: any of these solves it, if there are any.
    pub best: Vec<Move>,
    /// `am`: none of these may be played.
    pub avoid: Vec<Move>,
    /// Points of the moves that have any, 0 to 100.
    pub points: Vec<(Move, f64)>,
}

impl SuitePosition {
    /// True if the move solves the position.
    pub fn is_solved_by(&self, chess_move: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&chess_move)) && !self.avoid.contains(&chess_move)
    }

    /// Points of a move; `None` if the position gives no points.
    pub fn points_of(&self, chess_move: Move) -> Option<f64> {
        let found = self.points.iter().find(|(one, _)| *one == chess_move);
        (!self.points.is_empty()).then(|| found.map_or(0.0, |(_, points)| *points))
    }

    fn parse(line: &str, number: usize) -> Result<Self, String> {
        let epd = Epd::parse(line).map_err(|error| error.to_string())?;
        let best = epd.best_moves().map_err(|error| format!("bm: {error}"))?;
        let avoid = epd.avoid_moves().map_err(|error| format!("am: {error}"))?;
        let points = points(&epd)?;
        if best.is_empty() && avoid.is_empty() && points.is_empty() {
            return Err("found no bm, am or scored moves, expected one of them".into());
        }
        let id = epd.text("id").map_or_else(|| format!("line {number}"), ToString::to_string);
        Ok(Self { id, game: epd.game, best, avoid, points })
    }
}

/// The scored moves of the Strategic Test Suite: `c9` lists moves in UCI notation and `c8` their points, or `c0` lists
/// `move=points` in SAN.
fn points(epd: &Epd) -> Result<Vec<(Move, f64)>, String> {
    let position = epd.game.position();
    let mut scores = Vec::new();
    if let (Some(moves), Some(points)) = (epd.text("c9"), epd.text("c8")) {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        let points: Vec<&str> = points.split_whitespace().collect();
        if moves.len() != points.len() {
            return Err(format!("c9 has {} moves, c8 {} points", moves.len(), points.len()));
        }
        for (written, points) in moves.into_iter().zip(points) {
            let played = parse_uci_move(position, written).map_err(|error| format!("c9: {error}"))?;
            scores.push((played, number(points)?));
        }
        return Ok(scores);
    }
    // c0 is free text in other suites: only text in the form of a list is read as one.
    let Some(text) = epd.text("c0").filter(|text| text.split(',').any(is_scored)) else {
        return Ok(scores);
    };
    for part in text.split(',') {
        let score = score(position, part).map_err(|reason| format!("c0: {:?}: {reason}", part.trim()))?;
        scores.push(score);
    }
    Ok(scores)
}

/// Reads `move=points`.
fn score(position: &Chess, part: &str) -> Result<(Move, f64), String> {
    let (written, points) = scored(part).ok_or("expected move=points")?;
    let played = parse_san(position, written).map_err(|error| error.to_string())?;
    Ok((played, number(points)?))
}

fn number(points: &str) -> Result<f64, String> {
    points.parse().map_err(|_| format!("found {points:?}, expected points"))
}

/// The move and the points of a part of a list. A promotion contains an equals sign (`e8=Q=100`), so the
/// points follow the last one.
fn scored(part: &str) -> Option<(&str, &str)> {
    let (written, points) = part.trim().rsplit_once('=')?;
    Some((written, points.trim()))
}

/// True for text with the form of a move in SAN, legal or not, and a number.
fn is_scored(part: &str) -> bool {
    scored(part).is_some_and(|(written, points)| {
        SanPlus::from_ascii(written.as_bytes()).is_ok() && points.parse::<f64>().is_ok()
    })
}

/// The content of a file of positions with known answers.
#[derive(Debug)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Problems {
    Puzzles(Positions<Puzzle>),
    Suite(Positions<SuitePosition>),
}

/// Reads a puzzle file or an EPD suite, plain or compressed, whichever its beginning shows it to be, or `sample` of its positions. Lines
/// that cannot be read are skipped and counted. The file is opened once, because a pipe can be read only once.
///
/// # Errors
/// [`LineError`] naming file and line, if no line can be read.
pub fn read_problems(path: &Path, sample: Option<usize>) -> Result<Problems, LineError> {
    let lines = Lines::open(path)?;
    if puzzles::are_puzzles(&lines) {
        puzzles::read(lines, sample).map(Problems::Puzzles)
    } else {
        read(lines, sample).map(Problems::Suite)
    }
}

/// Reads an EPD suite, or `sample` of its positions. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// As [`read_problems`].
fn read(lines: Lines, sample: Option<usize>) -> Result<Positions<SuitePosition>, LineError> {
    lines.read(sample, "EPD lines with bm, am or scored moves", None, SuitePosition::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(text: &str) -> Result<Vec<SuitePosition>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let read = Lines::open(file.path()).and_then(|lines| read(lines, None));
        read.map(|read| read.found).map_err(|error| error.to_string())
    }

    const SCORED: &str = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"one\"; c0 \"f5=100, Bf2=46\"; \
        c8 \"100 46\"; c9 \"f4f5 d4f2\";\n";

    /// A position whose `c0` is this text, without the other two operations.
    fn only_c0(text: &str) -> String {
        SCORED.replace("c8 \"100 46\"; c9 \"f4f5 d4f2\";", "").replace("f5=100, Bf2=46", text)
    }

    #[test]
    fn moves_are_judged_by_every_kind_of_operation() {
        let text = format!("{SCORED}# comment\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Rd7; id \"two\";\n");
        let positions = suite(&text).unwrap();
        let play = |index: usize, san: &str| parse_san(positions[index].game.position(), san).unwrap();
        assert!(positions[0].is_solved_by(play(0, "f5")) && !positions[0].is_solved_by(play(0, "Bf2")));
        assert_eq!(positions[0].points_of(play(0, "Bf2")), Some(46.0));
        assert_eq!(positions[0].points_of(play(0, "h4")), Some(0.0));
        assert!(positions[1].is_solved_by(play(1, "Rd8#")) && !positions[1].is_solved_by(play(1, "Rd7")));
        assert_eq!(positions[1].points_of(play(1, "Rd7")), None);
        assert_eq!(suite(&only_c0("f5=100, Bf2=46")).unwrap()[0].points, positions[0].points);
        for free_text in ["depth=20, nodes=1000", "f5 is best, a=b", "f5"] {
            assert_eq!(suite(&only_c0(free_text)).unwrap()[0].points, [], "{free_text}");
        }
    }

    #[test]
    fn what_suites_in_use_write_is_read_and_the_rest_skipped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "4k3/8/8/8/8/8/8/R3K2R w - - bm Ra8+, Rh8+; id \"commas\";\n\
                    4k3/6p1/8/8/8/8/6R1/4K3 w - - bm Rg7 id \"no sign, no semicolon\"\n\
                    4k3/8/8/8/8/8/8/R3K3 w - - bm Qd4;\n\
                    nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - bm e3;\n";
        std::fs::write(file.path(), text).unwrap();
        let read = read(Lines::open(file.path()).unwrap(), None).unwrap();
        assert_eq!(read.found.iter().map(|one| one.best.len()).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(read.found[1].id, "no sign, no semicolon");
        assert!(read.found[2].game.castling_mode().is_chess960());
        assert!(read.skipped.count == 1 && read.skipped.first.unwrap().contains(":3: bm: illegal move"));
    }

    #[test]
    fn bad_suites_are_named() {
        for (text, expected) in [
            ("\n8/8/4k3/8/8/3K4/4P3/8 w - - id \"x\";\n", ":2: found no bm"),
            ("8/8/4k3/8/8/3K4/4P3/8 w - - bm Qd4;\n", ":1: bm: "),
            ("nonsense\n", ":1: "),
            ("# nothing\n", "holds no position"),
            (&SCORED.replace("c8 \"100 46\"", "c8 \"100\""), "c9 has 2 moves, c8 1 points"),
            (&only_c0("f5=100, Bf8=46"), ":1: c0: \"Bf8=46\": "),
            (&only_c0("f5=1OO, Bf2=46"), ":1: c0: \"f5=1OO\": found \"1OO\", expected points"),
            (&only_c0("f5=100, Bf2"), ":1: c0: \"Bf2\": expected move=points"),
        ] {
            let message = suite(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
