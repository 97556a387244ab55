//! Lichess puzzles: tactics of known difficulty, and the rating at which a player solves them.
//!
//! File format: <https://database.lichess.org/#puzzles>. The first move of a line is the opponent's; the player must find
//! every other one. Where it plays another move that gives checkmate, the puzzle is solved, as on Lichess.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use chess::{CastlingMode, Game, Limits, Move, Position as _, StopSignal, notation::parse_uci_move};
use serde::{Deserialize, Serialize};

use crate::{
    matches::Contestant,
    panel::{Reply, ask, read_text},
    player::{MaterialPlayer, Player, PlayerError},
    report::elo_range,
    statistics::{Measurement, Observation, Rating, rate},
};

/// Columns that a puzzle file must have.
const COLUMNS: [&str; 5] = ["PuzzleId", "FEN", "Moves", "Rating", "Themes"];

/// Width of a rating band.
pub const BAND: u32 = 200;

/// Fewest puzzles for which a theme gets a rating of its own.
pub const THEME_MIN_PUZZLES: usize = 50;

/// A puzzle.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// Lichess's name for it.
    pub id: String,
    /// The position after the opponent's move: the player is to move.
    pub game: Game,
    /// The line: the player's moves at even places, the opponent's answers between them.
    pub line: Vec<Move>,
    /// Its rating.
    pub rating: u32,
    /// What it is about.
    pub themes: Vec<String>,
}

/// Why puzzles could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    /// The file.
    #[error("cannot read the puzzles {}: {reason}", path.display())]
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
}

/// Reads a puzzle file, plain or compressed.
///
/// # Errors
/// [`PuzzleError`] naming file and line; a file without a puzzle is one.
pub fn read_puzzles(path: &Path) -> Result<Vec<Puzzle>, PuzzleError> {
    let text = read_text(path).map_err(|reason| PuzzleError::Read { path: path.into(), reason })?;
    let refuse = |line: usize, reason: String| PuzzleError::Line { path: path.into(), line, reason };
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> =
        lines.next().map(|(_, header)| header.trim().split(',').collect()).unwrap_or_default();
    let place = |name: &str| {
        let found = header.iter().position(|column| *column == name);
        found.ok_or_else(|| refuse(1, format!("found the columns {header:?}, expected {name} among them")))
    };
    let mut places = [0; 5];
    for (index, name) in COLUMNS.iter().enumerate() {
        places[index] = place(name)?;
    }
    let puzzles = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| parse(line, places).map_err(|reason| refuse(index + 1, reason)))
        .collect::<Result<Vec<_>, _>>()?;
    if puzzles.is_empty() {
        return Err(refuse(2, "found no puzzle, expected one a line".into()));
    }
    Ok(puzzles)
}

fn parse(line: &str, places: [usize; 5]) -> Result<Puzzle, String> {
    let cells: Vec<&str> = line.trim_end().split(',').collect();
    let mut wanted = [""; 5];
    for (cell, place) in wanted.iter_mut().zip(places) {
        *cell =
            cells.get(place).ok_or_else(|| format!("found {} cells, expected {}", cells.len(), place + 1))?;
    }
    let [id, fen, moves, rating, themes] = wanted;
    let mut game = Game::from_fen(fen, CastlingMode::Standard).map_err(|error| error.to_string())?;
    let mut line = Vec::new();
    let mut at = game.clone();
    for written in moves.split_whitespace() {
        let chess_move = parse_uci_move(at.position(), written).map_err(|error| error.to_string())?;
        at.play_unchecked(chess_move);
        line.push(chess_move);
    }
    if line.len() < 2 || line.len() % 2 == 1 {
        return Err(format!("found {} moves, expected the opponent's and then pairs", line.len()));
    }
    game.play_unchecked(line.remove(0));
    let rating = rating.parse().map_err(|_| format!("found the rating {rating:?}, expected a number"))?;
    let themes = themes.split_whitespace().map(String::from).collect();
    Ok(Puzzle { id: id.into(), game, line, rating, themes })
}

impl Puzzle {
    /// Whether the player finds the whole line.
    fn is_solved_by(
        &self,
        player: &mut dyn Player,
        limits: &Limits,
        stop: &StopSignal,
    ) -> Result<bool, PlayerError> {
        let mut game = self.game.clone();
        for pair in self.line.chunks(2) {
            let played = player.choose(&game, limits, stop)?.chess_move;
            game.play(played).map_err(|error| PlayerError::IllegalMove {
                player: player.name().into(),
                found: played.to_uci(CastlingMode::Standard).to_string(),
                fen: error.to_string(),
            })?;
            if game.position().is_checkmate() {
                return Ok(true);
            }
            if played != pair[0] {
                return Ok(false);
            }
            if let Some(&answer) = pair.get(1) {
                game.play_unchecked(answer);
            }
        }
        Ok(true)
    }

    /// The probability that a player finds the line that chooses evenly among `moves_of` a position.
    fn chance(&self, moves_of: impl Fn(&Game) -> Vec<Move>) -> f64 {
        let mut game = self.game.clone();
        let mut chance = 1.0;
        let mut solved = 0.0;
        for pair in self.line.chunks(2) {
            let moves = moves_of(&game);
            let share = 1.0 / moves.len().max(1) as f64;
            for &one in &moves {
                let mut position = game.position().clone();
                position.play_unchecked(one);
                if one != pair[0] && position.is_checkmate() {
                    solved += chance * share;
                }
            }
            if !moves.contains(&pair[0]) {
                return solved;
            }
            chance *= share;
            for &one in pair {
                game.play_unchecked(one);
            }
        }
        solved + chance
    }
}

/// The puzzles of a rating band or theme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleGroup {
    /// The band or theme.
    pub name: String,
    /// Share solved.
    pub solved: Measurement,
    /// Share that a random mover is expected to solve.
    pub random: f64,
    /// Share that is solved by the first move in generation order.
    pub first_legal: f64,
    /// Share that the greedy mover is expected to solve.
    pub material: f64,
    /// The rating fitted to this group alone, where it has one.
    pub rating: Option<Rating>,
}

/// Puzzles played through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleResult {
    /// The file.
    pub puzzles: String,
    /// All of them.
    pub overall: PuzzleGroup,
    /// By rating, easiest first.
    pub bands: Vec<PuzzleGroup>,
    /// By theme, in the order of the fitted rating, weakest first.
    pub themes: Vec<PuzzleGroup>,
    /// Puzzles in which the player failed instead of answering.
    pub failures: u64,
    /// Names of the puzzles solved.
    pub solved: Vec<String>,
}

/// Puts puzzles to a player. `None` when `stop` came before the end.
///
/// # Errors
/// [`PlayerError::Start`] when the player does not start.
pub fn play_puzzles(
    contestant: &Contestant,
    (name, puzzles): (&str, &[Puzzle]),
    threads: (usize, &StopSignal),
    observe: &mut dyn FnMut(),
) -> Result<Option<PuzzleResult>, PlayerError> {
    let stop = threads.1;
    let put =
        |player: &mut dyn Player, limits: &Limits, puzzle: &Puzzle| puzzle.is_solved_by(player, limits, stop);
    let replies = ask(contestant, puzzles, threads, put, observe)?;
    let Some(replies) = replies.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let failures = replies.iter().filter(|reply| matches!(reply, Reply::Failure(_))).count() as u64;
    let solved: Vec<bool> = replies.iter().map(|reply| matches!(reply, Reply::Answer(true))).collect();
    Ok(summarise(name, puzzles, &solved, failures))
}

/// What one puzzle adds to a group.
struct Line<'a> {
    puzzle: &'a Puzzle,
    solved: bool,
    random: f64,
    first_legal: f64,
    material: f64,
}

fn summarise(name: &str, puzzles: &[Puzzle], solved: &[bool], failures: u64) -> Option<PuzzleResult> {
    let lines: Vec<Line<'_>> = puzzles
        .iter()
        .zip(solved)
        .map(|(puzzle, &solved)| Line {
            puzzle,
            solved,
            random: puzzle.chance(|game| game.legal_moves().to_vec()),
            first_legal: puzzle.chance(|game| game.legal_moves().iter().take(1).copied().collect()),
            material: puzzle.chance(MaterialPlayer::best_moves),
        })
        .collect();
    let mut by_band: BTreeMap<u32, Vec<&Line<'_>>> = BTreeMap::new();
    let mut by_theme: BTreeMap<&str, Vec<&Line<'_>>> = BTreeMap::new();
    for line in &lines {
        by_band.entry(line.puzzle.rating / BAND * BAND).or_default().push(line);
        for theme in &line.puzzle.themes {
            by_theme.entry(theme).or_default().push(line);
        }
    }
    let band =
        |(low, lines): (&u32, &Vec<&Line<'_>>)| group(&format!("{low}-{}", low + BAND - 1), lines, false);
    let mut themes: Vec<PuzzleGroup> = by_theme
        .iter()
        .filter(|(_, lines)| lines.len() >= THEME_MIN_PUZZLES)
        .filter_map(|(theme, lines)| group(theme, lines, true))
        .collect();
    let elo = |group: &PuzzleGroup| group.rating.and_then(|rating| rating.elo).unwrap_or(f64::INFINITY);
    themes.sort_by(|one, other| elo(one).total_cmp(&elo(other)));
    Some(PuzzleResult {
        puzzles: name.into(),
        overall: group("all", &lines.iter().collect::<Vec<_>>(), true)?,
        bands: by_band.iter().filter_map(band).collect(),
        themes,
        failures,
        solved: lines.iter().filter(|line| line.solved).map(|line| line.puzzle.id.clone()).collect(),
    })
}

fn group(name: &str, lines: &[&Line<'_>], rated: bool) -> Option<PuzzleGroup> {
    let count = lines.len() as f64;
    let observation = |line: &&Line<'_>| Observation {
        opponent_elo: f64::from(line.puzzle.rating),
        games: 1.0,
        points: f64::from(u8::from(line.solved)),
    };
    let observations: Vec<Observation> = lines.iter().map(observation).collect();
    Some(PuzzleGroup {
        name: name.into(),
        solved: Measurement::share(
            lines.iter().filter(|line| line.solved).count() as u64,
            lines.len() as u64,
        )?,
        random: lines.iter().map(|line| line.random).sum::<f64>() / count,
        first_legal: lines.iter().map(|line| line.first_legal).sum::<f64>() / count,
        material: lines.iter().map(|line| line.material).sum::<f64>() / count,
        rating: if rated { rate(&observations, 1) } else { None },
    })
}

impl fmt::Display for PuzzleResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rating = |group: &PuzzleGroup| {
            let text = group.rating.map(|rating| elo_range(rating.elo, rating.lower, rating.upper));
            text.unwrap_or_default().replace('+', "")
        };
        let overall = &self.overall;
        writeln!(
            formatter,
            "{}: {} of {} puzzles solved; puzzle rating {} (95 %)",
            self.puzzles,
            self.solved.len(),
            overall.solved.samples,
            rating(overall)
        )?;
        write!(
            formatter,
            "  {:<22} {:>7} {:>26} {:>9} {:>11} {:>9}",
            "rating", "puzzles", "solved (95 %)", "random", "first legal", "material"
        )?;
        for band in self.bands.iter().chain([overall]) {
            write!(
                formatter,
                "\n  {:<22} {:>7} {:>26} {:>7.1} % {:>9.1} % {:>7.1} %",
                band.name,
                band.solved.samples,
                band.solved.percent(),
                100.0 * band.random,
                100.0 * band.first_legal,
                100.0 * band.material
            )?;
        }
        let weakest = self.themes.iter().take(3);
        let strongest = self.themes.iter().rev().take(3);
        for (what, theme) in
            weakest.map(|theme| ("weakest", theme)).chain(strongest.map(|theme| ("strongest", theme)))
        {
            write!(formatter, "\n  {what:<9} theme {:<20} {}", theme.name, rating(theme))?;
        }
        if self.failures > 0 {
            write!(formatter, "\n  caution: the player failed in {} puzzles", self.failures)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Choice, MoveInfo};

    const HEADER: &str =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n";
    /// Black moves the rook away, then either rook mates: the line names one of them.
    const TWO_MATES: &str = "mate,3r2k1/5ppp/8/8/8/8/5PPP/R2R2K1 b - - 0 1,d8c8 d1d8 c8d8 a1a8,600,80,90,100,mateIn2 short,url,\n";
    const QUEEN: &str =
        "queen,6k1/5ppp/8/q7/8/8/5PPP/R5K1 b - - 0 1,h7h6 a1a5,900,80,90,100,hangingPiece,url,\n";

    fn read(text: &str) -> Result<Vec<Puzzle>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_puzzles(file.path()).map_err(|error| error.to_string())
    }

    /// Plays these moves, one after the other.
    struct Script(Vec<&'static str>);

    impl Player for Script {
        fn name(&self) -> &'static str {
            "script"
        }

        fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, game: &Game, _: &Limits, _: &StopSignal) -> Result<Choice, PlayerError> {
            let chess_move = parse_uci_move(game.position(), self.0.remove(0)).unwrap();
            Ok(Choice { chess_move, info: MoveInfo::default() })
        }
    }

    fn solves(puzzle: &Puzzle, moves: &[&'static str]) -> bool {
        let (limits, stop) = (Limits::default(), StopSignal::default());
        puzzle.is_solved_by(&mut Script(moves.to_vec()), &limits, &stop).unwrap()
    }

    #[test]
    fn the_whole_line_or_any_mate() {
        let puzzles = read(&format!("{HEADER}{QUEEN}{TWO_MATES}")).unwrap();
        assert!(solves(&puzzles[0], &["a1a5"]) && !solves(&puzzles[0], &["g1f1"]));
        assert!(solves(&puzzles[0], &["a1a5"]));
        let mate = &puzzles[1];
        assert_eq!((mate.line.len(), mate.rating, mate.themes.len()), (3, 600, 2));
        assert!(!solves(mate, &["g2g3"]), "the first move must be found");
        assert!(!solves(mate, &["d1d8", "g2g3"]), "and the last");
        assert!(solves(mate, &["d1d8", "a1a8"]));
    }

    #[test]
    fn another_mate_counts() {
        let line = "two,7k/6pp/8/8/8/8/r7/1R1R2K1 b - - 0 1,a2a3 b1b8,600,80,90,100,mateIn1,url,\n";
        let puzzle = &read(&format!("{HEADER}{line}")).unwrap()[0];
        assert!(solves(puzzle, &["b1b8"]) && solves(puzzle, &["d1d8"]));
        let legal = puzzle.game.legal_moves().len() as f64;
        assert!((puzzle.chance(|game| game.legal_moves().to_vec()) - 2.0 / legal).abs() < 1e-12);
        assert_eq!(puzzle.chance(MaterialPlayer::best_moves), 1.0);
    }

    #[test]
    fn a_result_has_bands_and_a_rating() {
        let puzzles: Vec<Puzzle> =
            (0..60).flat_map(|_| read(&format!("{HEADER}{QUEEN}{TWO_MATES}")).unwrap()).collect();
        let solved: Vec<bool> = (0..120).map(|index| index % 4 == 0 || index % 2 == 1).collect();
        let result = summarise("file", &puzzles, &solved, 0).unwrap();
        assert_eq!(
            result.bands.iter().map(|band| band.name.as_str()).collect::<Vec<_>>(),
            ["600-799", "800-999"]
        );
        let rating = result.overall.rating.unwrap();
        assert!(rating.lower < rating.elo && rating.elo < rating.upper, "{rating:?}");
        let hanging = result.themes.iter().find(|theme| theme.name == "hangingPiece").unwrap();
        assert!((hanging.rating.unwrap().elo.unwrap() - 900.0).abs() < 1e-3, "half of them solved");
        let all = result.themes.iter().find(|theme| theme.name == "mateIn2").unwrap();
        assert_eq!(all.rating.unwrap().elo, None, "all solved is a bound");
    }

    #[test]
    fn bad_files_are_named() {
        for (text, expected) in [
            ("PuzzleId,FEN\n", "expected Moves among them"),
            (HEADER, ":2: found no puzzle"),
            (&format!("{HEADER}x,8/8/8/8/8/8/8/8 w - - 0 1,a1a2 a2a3,1,1,1,1,t,u,\n"), ":2: "),
            (&format!("{HEADER}{}", QUEEN.replace("h7h6 a1a5", "h7h6")), "found 1 moves"),
            (&format!("{HEADER}{}", QUEEN.replace("a1a5", "a1b5")), ":2: "),
            (&format!("{HEADER}{}", QUEEN.replace(",900,", ",many,")), "found the rating \"many\""),
            (&format!("{HEADER}x,y\n"), "found 2 cells"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
