//! Test suites: positions with known best moves, moves to avoid, or a score for every good move.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use chess::{
    CastlingMode, Game, Move, StopSignal,
    notation::{Epd, parse_san, parse_uci_move, print_san},
};
use serde::{Deserialize, Serialize};

use crate::{
    matches::Contestant,
    panel::{Reply, ask, read_text},
    player::{MaterialPlayer, PlayerError},
    statistics::Measurement,
};

/// A position of a suite.
#[derive(Clone, Debug)]
pub struct SuitePosition {
    /// Its name, the `id` of the EPD, or its line.
    pub id: String,
    /// The position.
    pub game: Game,
    /// `bm`: any of these solves it, where there are any.
    pub best: Vec<Move>,
    /// `am`: none of these may be played.
    pub avoid: Vec<Move>,
    /// Points of the moves that have any, 0 to 100.
    pub points: Vec<(Move, f64)>,
}

/// Why a suite could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file.
    #[error("cannot read the suite {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What happened.
        reason: std::io::Error,
    },
    /// A line.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What was found and expected.
        reason: String,
    },
    /// No position.
    #[error("{} holds no position; expected EPD lines with bm, am or scored moves", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl SuitePosition {
    /// Whether the move solves the position.
    pub fn is_solved_by(&self, chess_move: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&chess_move)) && !self.avoid.contains(&chess_move)
    }

    /// Points of a move; `None` where the position has none to give.
    pub fn points_of(&self, chess_move: Move) -> Option<f64> {
        let found = self.points.iter().find(|(one, _)| *one == chess_move);
        (!self.points.is_empty()).then(|| found.map_or(0.0, |(_, points)| *points))
    }

    fn parse(line: &str, number: usize) -> Result<Self, String> {
        let epd = Epd::parse(line, CastlingMode::Standard).map_err(|error| error.to_string())?;
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
    let number = |text: &str| text.parse().map_err(|_| format!("found {text:?}, expected points"));
    if let (Some(moves), Some(points)) = (epd.text("c9"), epd.text("c8")) {
        let (moves, points): (Vec<&str>, Vec<&str>) =
            (moves.split_whitespace().collect(), points.split_whitespace().collect());
        if moves.len() != points.len() {
            return Err(format!("c9 has {} moves, c8 {} points", moves.len(), points.len()));
        }
        let read = |(one, points): (&str, &str)| {
            Ok((parse_uci_move(position, one).map_err(|error| format!("c9: {error}"))?, number(points)?))
        };
        return moves.into_iter().zip(points).map(read).collect();
    }
    let Some(text) = epd.text("c0").filter(|text| text.contains('=')) else { return Ok(Vec::new()) };
    // A promotion has an equals sign of its own (`e8=Q=100`), so the points follow the last one.
    let read = |part: &str| {
        let (written, points) = part.trim().rsplit_once('=')?;
        Some((parse_san(position, written).ok()?, points.trim().parse().ok()?))
    };
    // c0 is free text in other suites: only a list that reads as one is taken for one.
    Ok(text.split(',').map(read).collect::<Option<_>>().unwrap_or_default())
}

/// Reads an EPD suite, plain or compressed. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// [`SuiteError`] naming file and line.
pub fn read_suite(path: &Path) -> Result<Vec<SuitePosition>, SuiteError> {
    let text = read_text(path).map_err(|reason| SuiteError::Read { path: path.into(), reason })?;
    let mut positions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let position = SuitePosition::parse(line, index + 1).map_err(|reason| SuiteError::Line {
            path: path.into(),
            line: index + 1,
            reason,
        })?;
        positions.push(position);
    }
    if positions.is_empty() {
        return Err(SuiteError::Empty { path: path.into() });
    }
    Ok(positions)
}

/// What a player did in one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteAnswer {
    /// The position's name.
    pub id: String,
    /// The position.
    pub fen: String,
    /// The move in SAN; `None` where the player failed.
    pub played: Option<String>,
    /// Whether that solves it.
    pub solved: bool,
    /// Points for it, where the position gives any.
    pub points: Option<f64>,
    /// What went wrong.
    pub failure: Option<String>,
}

/// What simple players would reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteBaseline {
    /// Share of positions solved.
    pub solved: f64,
    /// Share of the points, where the suite gives any.
    pub points: Option<f64>,
}

/// A suite played through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteResult {
    /// The file.
    pub suite: String,
    /// Share of positions solved.
    pub solved: Measurement,
    /// Share of the points, where the suite gives any.
    pub points: Option<Measurement>,
    /// Expected for a random mover, exactly.
    pub random: SuiteBaseline,
    /// For the first move in generation order.
    pub first_legal: SuiteBaseline,
    /// For the greedy mover.
    pub material: SuiteBaseline,
    /// Every position.
    pub answers: Vec<SuiteAnswer>,
}

/// Puts a suite to a player. `None` when `stop` came before the end.
///
/// # Errors
/// [`PlayerError::Start`] when the player does not start.
pub fn play_suite(
    contestant: &Contestant,
    (name, positions): (&str, &[SuitePosition]),
    threads: (usize, &StopSignal),
    observe: &mut dyn FnMut(),
) -> Result<Option<SuiteResult>, PlayerError> {
    let stop = threads.1;
    let replies = ask(
        contestant,
        positions,
        threads,
        |player, limits, position: &SuitePosition| {
            player.choose(&position.game, limits, stop).map(|choice| choice.chess_move)
        },
        observe,
    )?;
    let Some(replies) = replies.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let answers: Vec<SuiteAnswer> =
        positions.iter().zip(replies).map(|(position, reply)| answer(position, reply)).collect();
    let solved = answers.iter().filter(|answer| answer.solved).count() as u64;
    let shares: Vec<f64> =
        answers.iter().filter_map(|answer| answer.points).map(|points| points / 100.0).collect();
    let Some(solved) = Measurement::share(solved, answers.len() as u64) else { return Ok(None) };
    Ok(Some(SuiteResult {
        suite: name.into(),
        solved,
        points: Measurement::mean(&shares),
        random: baseline(positions, |position, value| {
            let moves = position.game.legal_moves();
            moves.iter().map(|&one| value(position, one)).sum::<f64>() / moves.len().max(1) as f64
        }),
        first_legal: baseline(positions, |position, value| {
            position.game.legal_moves().first().map_or(0.0, |&one| value(position, one))
        }),
        material: baseline(positions, |position, value| {
            let best = MaterialPlayer::best_moves(&position.game);
            best.iter().map(|&one| value(position, one)).sum::<f64>() / best.len().max(1) as f64
        }),
        answers,
    }))
}

fn answer(position: &SuitePosition, reply: Reply<Move>) -> SuiteAnswer {
    let (id, fen) = (position.id.clone(), position.game.fen());
    match reply {
        Reply::Answer(chess_move) => SuiteAnswer {
            id,
            fen,
            played: Some(print_san(position.game.position(), chess_move)),
            solved: position.is_solved_by(chess_move),
            points: position.points_of(chess_move),
            failure: None,
        },
        Reply::Failure(error) => SuiteAnswer {
            id,
            fen,
            played: None,
            solved: false,
            points: (!position.points.is_empty()).then_some(0.0),
            failure: Some(error.to_string()),
        },
    }
}

/// The mean over positions of what `expected` makes of the value of single moves.
fn baseline(
    positions: &[SuitePosition],
    expected: impl Fn(&SuitePosition, &dyn Fn(&SuitePosition, Move) -> f64) -> f64,
) -> SuiteBaseline {
    let solved = |position: &SuitePosition, one: Move| f64::from(u8::from(position.is_solved_by(one)));
    let points = |position: &SuitePosition, one: Move| position.points_of(one).unwrap_or(0.0) / 100.0;
    let mean = |of: Vec<f64>| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let scored: Vec<&SuitePosition> =
        positions.iter().filter(|position| !position.points.is_empty()).collect();
    SuiteBaseline {
        solved: mean(positions.iter().map(|position| expected(position, &solved)).collect()),
        points: (!scored.is_empty())
            .then(|| mean(scored.iter().map(|position| expected(position, &points)).collect())),
    }
}

impl fmt::Display for SuiteResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |value: f64| format!("{:.1} %", 100.0 * value);
        let solved = self.answers.iter().filter(|answer| answer.solved).count();
        write!(
            formatter,
            "{}: {solved} of {} solved, {}",
            self.suite,
            self.answers.len(),
            self.solved.percent()
        )?;
        write!(
            formatter,
            "; random {}, first legal {}, material {}",
            percent(self.random.solved),
            percent(self.first_legal.solved),
            percent(self.material.solved)
        )?;
        if let (Some(points), Some(random)) = (self.points, self.random.points) {
            write!(formatter, "\n  points {}; random {}", points.percent(), percent(random))?;
        }
        let failures = self.answers.iter().filter(|answer| answer.failure.is_some()).count();
        if failures > 0 {
            write!(formatter, "\n  caution: the player failed in {failures} positions")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(text: &str) -> Result<Vec<SuitePosition>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_suite(file.path()).map_err(|error| error.to_string())
    }

    const SCORED: &str = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"one\"; c0 \"f5=100, Bf2=46\"; \
        c8 \"100 46\"; c9 \"f4f5 d4f2\";\n";

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
        let only_c0 = suite(&SCORED.replace("c8 \"100 46\"; c9 \"f4f5 d4f2\";", "")).unwrap();
        assert_eq!(only_c0[0].points, positions[0].points);
    }

    #[test]
    fn bad_suites_are_named() {
        for (text, expected) in [
            ("\n8/8/4k3/8/8/3K4/4P3/8 w - - id \"x\";\n", ":2: found no bm"),
            ("8/8/4k3/8/8/3K4/4P3/8 w - - bm Qd4;\n", ":1: bm: "),
            ("nonsense\n", ":1: "),
            ("# nothing\n", "holds no position"),
            (&SCORED.replace("c8 \"100 46\"", "c8 \"100\""), "c9 has 2 moves, c8 1 points"),
        ] {
            let message = suite(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn a_played_suite_has_its_baselines() {
        let positions = suite(SCORED).unwrap();
        let player = Contestant::new("material", || Ok(Box::new(MaterialPlayer::new(1))));
        let stop = StopSignal::default();
        let mut heard = 0;
        let result =
            play_suite(&player, ("one.epd", &positions), (2, &stop), &mut || heard += 1).unwrap().unwrap();
        assert_eq!((result.answers.len(), heard), (1, 1));
        let legal = positions[0].game.legal_moves().len() as f64;
        assert!((result.random.solved - 1.0 / legal).abs() < 1e-12);
        assert!((result.random.points.unwrap() - 1.46 / legal).abs() < 1e-12);
        assert_eq!(result.points.unwrap().value, result.answers[0].points.unwrap() / 100.0);
        stop.stop();
        assert!(play_suite(&player, ("one.epd", &positions), (1, &stop), &mut || ()).unwrap().is_none());
    }
}
