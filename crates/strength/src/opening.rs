//! Openings of games: lines that keep two deterministic players from playing the same game again and again.

mod pgn;
mod random;

use std::path::Path;

use chess::{Epd, Game, notation::parse_san};
use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::lines::{LineError, Lines, Positions};

pub use random::random_plies;

/// One start of a game.
#[derive(Clone, Debug)]
pub struct MatchOpening {
    /// Name of the opening: its own name, the `id` of its EPD line, or its line number.
    pub name: String,
    /// The game after the opening's moves; never over.
    pub game: Game,
}

/// Openings in the order of the pairs of a match; after the last one they start again.
#[derive(Clone, Debug)]
pub struct OpeningBook {
    source: String,
    openings: Vec<MatchOpening>,
}

/// Errors of reading or making openings.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum OpeningError {
    /// A file or a line of it.
    #[error(transparent)]
    File(#[from] LineError),
    #[error("openings {found:?}: expected random:PLIES with a whole number of half-moves")]
    Plies { found: String },
    #[error("openings {found:?}: expected endgames:PIECES with 3 to 32 pieces")]
    Pieces { found: String },
    #[error("endgames of {pieces} pieces: only {found} of {wanted} different ones found; take more pieces")]
    TooFewEndgames { pieces: u32, found: usize, wanted: usize },
    #[error(
        "random openings of {plies} plies: only {found} of {wanted} different ones found; take more plies"
    )]
    TooFew { plies: u32, found: usize, wanted: usize },
}

impl OpeningBook {
    /// Name of the built-in list, the default of matches.
    pub const BALANCED: &str = "balanced";
    const START: &str = "startpos";
    const RANDOM: &str = "random:";

    /// Beginning of the names of random endgames: `endgames:PIECES`.
    pub const ENDGAMES: &str = "endgames:";

    /// Openings as commands and recipes name them: `balanced` (the built-in list), `startpos`, `random:PLIES`, `endgames:PIECES`, or
    /// a file. There are `pairs` random openings or endgames. From the lines of a PGN file the first `plies` half-moves are used.
    ///
    /// # Errors
    /// [`OpeningError`].
    pub fn named(name: &str, plies: Option<usize>, pairs: usize, seed: u64) -> Result<Self, OpeningError> {
        if let Some(file) = Self::file(name) {
            return Self::from_file(file, plies, seed);
        }
        if name == Self::BALANCED {
            return Self::balanced(seed);
        }
        if name == Self::START {
            return Ok(Self::start_position());
        }
        if let Some(number) = name.strip_prefix(Self::ENDGAMES) {
            let number = number.parse().ok().filter(|number| (3..=32).contains(number));
            let number = number.ok_or_else(|| OpeningError::Pieces { found: name.into() })?;
            return Self::endgames(number, pairs, seed);
        }
        let number = name.strip_prefix(Self::RANDOM).unwrap_or(name);
        let number = number.parse().map_err(|_| OpeningError::Plies { found: name.into() })?;
        Self::random(number, pairs, seed)
    }

    /// The file that a name of openings stands for; `None` for openings that need no file.
    pub fn file(name: &str) -> Option<&Path> {
        let needs_none = [Self::BALANCED, Self::START].contains(&name)
            || [Self::RANDOM, Self::ENDGAMES].iter().any(|beginning| name.starts_with(beginning));
        (!needs_none).then(|| Path::new(name))
    }

    /// Tabiya's own list of named, balanced lines (`openings/balanced.txt` of this crate) in the order of `seed`.
    ///
    /// # Errors
    /// [`OpeningError`] if the list is broken, which this crate's tests rule out.
    pub fn balanced(seed: u64) -> Result<Self, OpeningError> {
        Ok(Self::shuffled("balanced (built in)".into(), balanced_openings()?, seed))
    }

    /// `count` different openings of `plies` random legal half-moves from the start position. Some favour one side:
    /// playing each with both colours cancels that in the score, not in the number of decisive games.
    ///
    /// # Errors
    /// [`OpeningError::TooFew`] if there are not that many.
    pub fn random(plies: u32, count: usize, seed: u64) -> Result<Self, OpeningError> {
        let openings = random::moves(plies, count, seed)?;
        Ok(Self { source: format!("{plies} random plies"), openings })
    }

    /// `count` different legal positions of 3 to `pieces` pieces, kings and pawns included, with either side to move. Kinds of pieces are
    /// as frequent as at the beginning of a game, and each piece is White's or Black's by chance, so most positions are won for one side.
    ///
    /// # Errors
    /// [`OpeningError::TooFewEndgames`] if there are not that many.
    pub fn endgames(pieces: u32, count: usize, seed: u64) -> Result<Self, OpeningError> {
        let openings = random::endgames(pieces, count, seed)?;
        Ok(Self { source: format!("random endgames of up to {pieces} pieces"), openings })
    }

    /// The openings of a file, plain or compressed (gzip, bzip2, zstd), in the order of `seed`.
    ///
    /// A file named `.pgn`, compressed or not, holds games, of which the first `plies` half-moves are used
    /// (`None`: all); any other file holds EPD or FEN lines, of which empty ones and those that begin with
    /// `#` are skipped. Unreadable entries are skipped, and counted in [`OpeningBook::source`]. Positions of
    /// Chess960 are recognised by their castling rights.
    ///
    /// # Errors
    /// [`OpeningError`] naming file and line, if nothing can be read or a game cannot be an opening.
    pub fn from_file(path: &Path, plies: Option<usize>, seed: u64) -> Result<Self, OpeningError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_pgn = [".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst"].iter().any(|ending| name.ends_with(ending));
        let Positions { found, skipped } =
            if is_pgn { pgn::openings(path, plies)? } else { openings_of_lines(path)? };
        let source = match skipped.count {
            0 => path.display().to_string(),
            _ => format!("{} ({skipped})", path.display()),
        };
        Ok(Self::shuffled(source, found, seed))
    }

    /// Games from the ordinary start position only.
    pub fn start_position() -> Self {
        let opening = MatchOpening { name: "start position".into(), game: Game::default() };
        Self { source: "start position".into(), openings: vec![opening] }
    }

    fn shuffled(source: String, mut openings: Vec<MatchOpening>, seed: u64) -> Self {
        openings.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        Self { source, openings }
    }

    /// Description of the source of the openings.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Number of openings; never 0.
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Never true: a book has at least one opening.
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// These openings, starting with the opening of a later pair.
    #[must_use]
    pub fn from_pair(mut self, pair: u32) -> Self {
        let first = pair as usize % self.openings.len();
        // Rotated, not truncated: the first openings follow the last one.
        self.openings.rotate_left(first);
        self
    }

    /// The opening of a pair of games.
    pub fn of_pair(&self, pair: u32) -> &MatchOpening {
        &self.openings[pair as usize % self.openings.len()]
    }
}

/// Refuses a start position in which the game is over.
fn must_go_on(game: &Game) -> Result<(), String> {
    match game.outcome() {
        None => Ok(()),
        Some(outcome) => Err(format!("the game is over there ({})", outcome.ending)),
    }
}

fn balanced_openings() -> Result<Vec<MatchOpening>, LineError> {
    let mut openings = Vec::new();
    for (line, text) in (1..).zip(include_str!("../openings/balanced.txt").lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let opening = balanced_opening(text);
        openings.push(opening.map_err(|reason| LineError::Line {
            path: "openings/balanced.txt".into(),
            line,
            reason,
        })?);
    }
    Ok(openings)
}

/// `name: moves in SAN, separated by spaces`.
fn balanced_opening(line: &str) -> Result<MatchOpening, String> {
    let (name, moves) = line.split_once(": ").ok_or("expected `name: moves`")?;
    let mut game = Game::default();
    for written in moves.split_whitespace() {
        let chess_move = parse_san(game.position(), written).map_err(|error| error.to_string())?;
        game.play_unchecked(chess_move);
    }
    must_go_on(&game)?;
    Ok(MatchOpening { name: name.into(), game })
}

/// The lines of an EPD or FEN file, for errors.
const EXPECTED: &str =
    "EPD or FEN lines, such as \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\"";

fn openings_of_lines(path: &Path) -> Result<Positions<MatchOpening>, LineError> {
    Lines::open(path)?.read(None, EXPECTED, None, opening_of_line)
}

fn opening_of_line(line: &str, number: usize) -> Result<MatchOpening, String> {
    let epd = Epd::parse(line).map_err(|error| error.to_string());
    let epd = epd.and_then(|epd| must_go_on(&epd.game).map(|()| epd)).map_err(|reason| {
        let found: String = line.chars().take(100).collect();
        format!("{found:?} is not an opening: {reason}")
    })?;
    let name = epd.text("id").map_or_else(|| format!("line {number}"), ToString::to_string);
    Ok(MatchOpening { name, game: epd.game })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn openings_that_are_made_need_no_file() {
        for name in [OpeningBook::BALANCED, "startpos", "random:4", "endgames:6"] {
            assert_eq!(OpeningBook::file(name), None, "{name}");
            let book = OpeningBook::named(name, None, 3, 1).unwrap();
            assert!(!book.source().contains(':'), "{}", book.source());
        }
        assert_eq!(OpeningBook::file("endgames.epd"), Some(Path::new("endgames.epd")));
        let error = OpeningBook::named("endgames:2", None, 3, 1).unwrap_err();
        assert!(matches!(error, OpeningError::Pieces { .. }), "{error}");
    }

    #[test]
    fn the_list_is_sound() {
        let openings = balanced_openings().unwrap();
        assert!(openings.len() >= 100, "{}", openings.len());
        let names: HashSet<&str> = openings.iter().map(|opening| opening.name.as_str()).collect();
        assert_eq!(names.len(), openings.len(), "names are different");
        let keys: HashSet<u64> = openings.iter().map(|opening| opening.game.key()).collect();
        assert_eq!(keys.len(), openings.len(), "positions are different");
        for opening in &openings {
            let plies = opening.game.ply();
            assert!((4..=10).contains(&plies) && plies % 2 == 0, "{}: {plies} plies", opening.name);
        }
    }

    fn read(text: &str) -> Result<Vec<MatchOpening>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        openings_of_lines(file.path()).map(|read| read.found).map_err(|error| error.to_string())
    }

    #[test]
    fn fen_and_epd_lines() {
        let text = "# comment\n\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 12\n\
            8/8/4k3/8/8/3K4/4P3/8 w - - bm e4; id \"King and pawn\";\n";
        let found = read(text).unwrap();
        let names: Vec<&str> = found.iter().map(|opening| opening.name.as_str()).collect();
        assert_eq!(names, ["line 3", "line 4", "King and pawn"]);
        assert_eq!(found[1].game.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 12");
    }

    #[test]
    fn chess960_is_recognised_by_the_castling_rights() {
        let found = read(
            "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w FCfc - 0 1\n\
             nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w KQkq - 0 1\n\
             rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n",
        );
        let modes: Vec<bool> =
            found.unwrap().iter().map(|one| one.game.castling_mode().is_chess960()).collect();
        assert_eq!(modes, [true, true, false]);
    }

    #[test]
    fn bad_lines_are_named() {
        assert!(read("").unwrap_err().contains("found an empty file"));
        let illegal = read("\n8/8/8/8/8/8/8/8 w - -\n").unwrap_err();
        assert!(illegal.contains(":2:"), "{illegal}");
        let over = read("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap_err();
        assert!(over.contains("over there (stalemate)"), "{over}");
        assert!(read("e4 e5").unwrap_err().contains(":1: \"e4 e5\" is not an opening"));
    }

    #[test]
    fn binary_and_missing_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0xff, 0xfe, 0x28, 0xb5]).unwrap();
        assert!(openings_of_lines(file.path()).unwrap_err().to_string().contains("not UTF-8"));
        assert!(matches!(openings_of_lines(Path::new("no-such-file.epd")), Err(LineError::Read { .. })));
    }
}
