//! Lichess puzzles: tactics of known difficulty, and the rating at which a player solves them.
//!
//! File format: <https://database.lichess.org/#puzzles>. The first move of a line is the opponent's; the player must find
//! every other one. If it plays another move that gives checkmate, the puzzle is solved, as on Lichess.

mod result;

use chess::{
    Game, Limits, Move, Position as _, StopSignal,
    notation::{parse_uci_move, print_uci_move},
    played,
};
use dataset::source::{Row, puzzles};

use crate::{
    lines::{LineError, Lines, Positions},
    player::{Player, PlayerError},
};

pub use result::{PuzzleGroup, PuzzleResult, play_puzzles};

/// Columns that a puzzle file must have; it may also have `Themes`.
const COLUMNS: [&str; 4] = ["PuzzleId", "FEN", "Moves", "Rating"];

/// A position with its only winning line, as the Lichess database has them.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// Its Lichess id.
    pub id: String,
    /// The position after the opponent's move: the player is to move.
    pub game: Game,
    /// The line: the player's moves at even places, the opponent's answers between them.
    pub line: Vec<Move>,
    /// Lichess rating (Glicko-2), found by people's attempts.
    pub rating: u32,
    /// Lichess's themes, such as `mateIn2`.
    pub themes: Vec<String>,
}

/// True if a file is a table of puzzles by its heading or its first row; a heading with a missing column is
/// still recognised by the other columns.
pub(crate) fn are_puzzles(lines: &Lines) -> bool {
    lines.beginning().starts_with("PuzzleId") || puzzles::recognises(lines.beginning())
}

/// Reads a puzzle file with a heading or without one, or `sample` of its puzzles.
///
/// # Errors
/// As [`read_problems`](crate::read_problems).
pub(crate) fn read(mut lines: Lines, sample: Option<usize>) -> Result<Positions<Puzzle>, LineError> {
    let columns = match puzzles::columns_without_heading(lines.beginning()) {
        Some(columns) => columns,
        None => lines.columns(&COLUMNS)?,
    };
    lines.read(sample, "one puzzle a line", Some(&columns), |line, _| {
        Puzzle::parse(&columns.row(line).map_err(|problem| problem.detail)?)
    })
}

impl Puzzle {
    /// Reads a row with [`COLUMNS`].
    fn parse(row: &Row<'_>) -> Result<Self, String> {
        let [id, fen, moves, rating] = COLUMNS.map(|name| row.field(name));
        let mut game = Game::from_any_fen(fen).map_err(|error| error.to_string())?;
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
        let themes = row.field("Themes").split_whitespace().map(String::from).collect();
        Ok(Self { id: id.into(), game, line, rating, themes })
    }

    /// True if the player finds the whole line.
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
                found: print_uci_move(played, game.castling_mode()),
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

    /// The probability that a player who chooses uniformly among `moves_of` a position finds the line.
    fn chance(&self, moves_of: impl Fn(&Game) -> Vec<Move>) -> f64 {
        let mut game = self.game.clone();
        let mut chance = 1.0;
        let mut solved = 0.0;
        for pair in self.line.chunks(2) {
            let moves = moves_of(&game);
            let share = 1.0 / moves.len().max(1) as f64;
            for &one in &moves {
                if one != pair[0] && played(game.position(), one).is_checkmate() {
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

    fn puzzles_of(text: &str) -> Result<Vec<Puzzle>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let read = Lines::open(file.path()).and_then(|lines| read(lines, None));
        read.map(|read| read.found).map_err(|error| error.to_string())
    }

    /// Plays these moves, one after the other.
    struct Script(Vec<&'static str>);

    impl Player for Script {
        fn name(&self) -> &'static str {
            "script"
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
        let puzzles = puzzles_of(&format!("{HEADER}{QUEEN}{TWO_MATES}")).unwrap();
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
        let puzzle = &puzzles_of(&format!("{HEADER}{line}")).unwrap()[0];
        assert!(solves(puzzle, &["b1b8"]) && solves(puzzle, &["d1d8"]));
        let legal = puzzle.game.legal_moves().len() as f64;
        assert!((puzzle.chance(|game| game.legal_moves().to_vec()) - 2.0 / legal).abs() < 1e-12);
        assert_eq!(puzzle.chance(|game| crate::player::MATERIAL.moves(game)), 1.0);
    }

    #[test]
    fn headings_themes_and_commas_may_be_missing_and_quotes_go_over_lines() {
        let both = |text: &str| {
            let puzzles = puzzles_of(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            puzzles.iter().map(|puzzle| (puzzle.id.clone(), puzzle.rating)).collect::<Vec<_>>()
        };
        let expected = [("queen".to_owned(), 900), ("mate".to_owned(), 600)];
        assert_eq!(both(&format!("{QUEEN}{TWO_MATES}")), expected);
        assert_eq!(both(&format!("{HEADER}{QUEEN}{TWO_MATES}").replace(',', "\t")), expected);
        let quoted = QUEEN.replace("url", "\"two\nlines\"");
        assert_eq!(both(&format!("{HEADER}{quoted}{TWO_MATES}")), expected);
        assert_eq!(both(&format!("{quoted}{TWO_MATES}")), expected);
        let open = QUEEN.replace("queen", "\"open");
        assert_eq!(both(&format!("{HEADER}{QUEEN}{open}{TWO_MATES}")), expected);
        let short = |line: &str| line.split(',').take(4).collect::<Vec<_>>().join(",");
        assert_eq!(
            both(&format!("PuzzleId,FEN,Moves,Rating\n{}\n{}\n", short(QUEEN), short(TWO_MATES))),
            expected
        );
    }

    #[test]
    fn bad_files_are_named() {
        for (text, expected) in [
            ("PuzzleId,FEN\n", "expected Moves among them"),
            (HEADER, "holds no position; expected one puzzle a line"),
            (&format!("{HEADER}x,8/8/8/8/8/8/8/8 w - - 0 1,a1a2 a2a3,1,1,1,1,t,u,\n"), ":2: "),
            (&format!("{HEADER}{}", QUEEN.replace("h7h6 a1a5", "h7h6")), "found 1 moves"),
            (&format!("{HEADER}{}", QUEEN.replace("a1a5", "a1b5")), ":2: "),
            (&format!("{HEADER}{}", QUEEN.replace(",900,", ",many,")), "found the rating \"many\""),
            (&format!("{HEADER}x,y\n"), "2 fields, expected 10"),
        ] {
            let message = puzzles_of(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
