//! Reviews in a file, so that a measurement of many games can be interrupted, resumed and repeated.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

use chess::{Game, print_uci_move};
use files::{FolderLock, Inputs, Journal, OutputError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{RatedGame, ReviewError, ReviewedGame};

/// The kind of file, with its version.
const KIND: &str = "tabiya-reviews-3";

/// The problem reported for any other first line.
const HEADER: &str = "expected the header of a file of reviews";

/// Reviews kept in a file, to which new ones are appended.
pub struct KeptReviews {
    path: PathBuf,
    lines: Journal,
    /// By game and ratings: people of other ratings may have played the same moves.
    known: HashMap<(String, [u16; 2]), ReviewedGame>,
    _lock: FolderLock,
}

/// First line of the file: the settings shared by all reviews in it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    kind: String,
    engine: String,
    /// Options of the search, as `--option` sets them.
    options: Vec<(String, String)>,
    nodes: u64,
    /// The network, by content; files of an older version have none.
    inputs: Option<Inputs>,
}

/// A line: a game and the result of its review.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The first position and the moves, FEN and UCI.
    game: String,
    review: ReviewedGame,
}

impl KeptReviews {
    /// Opens or begins a file of reviews by this engine with these options, this number of visits of each position and these inputs,
    /// for this process alone.
    ///
    /// # Errors
    /// [`ReviewError`] for a file that cannot be read or written, is being written by another process, or was made with other
    /// settings or another network.
    pub fn open(
        path: &Path,
        engine: &str,
        options: &[(String, String)],
        nodes: u64,
        inputs: Inputs,
    ) -> Result<Self, ReviewError> {
        let lock = FolderLock::take(path)?;
        let wanted = Header {
            kind: KIND.into(),
            engine: engine.into(),
            options: options.to_vec(),
            nodes,
            inputs: Some(inputs),
        };
        let mut journal = Journal::open(path).map_err(OutputError::io("open", path))?;
        let mut lines = journal.lines().map_err(OutputError::io("read", path))?;
        let Some(first) = lines.next() else {
            drop(lines);
            begin(&mut journal, path, &wanted)?;
            return Ok(Self { path: path.into(), lines: journal, known: HashMap::new(), _lock: lock });
        };
        let mut found: Header = parsed(first, path, 1, HEADER)?;
        let Some(before) = found.inputs.take() else {
            return Err(OutputError::NoInputs { place: path.into() }.into());
        };
        // Inputs are compared by content and have an error of their own, which names the file that differs; the rest of the header is
        // compared as a whole.
        if let Some(inputs) = &wanted.inputs {
            inputs.expect_same(&before, path)?;
        }
        found.inputs.clone_from(&wanted.inputs);
        if found != wanted {
            let problem = format!("found {found}, expected {wanted}");
            return Err(ReviewError::Kept { place: path.display().to_string(), problem, source: None });
        }
        let mut known = HashMap::new();
        for (number, line) in (2..).zip(lines) {
            let line: Line = parsed(line, path, number, "expected the review of a game")?;
            known.insert((line.game, line.review.ratings), line.review);
        }
        Ok(Self { path: path.into(), lines: journal, known, _lock: lock })
    }

    /// The kept review of a game, or else the result of `review`, which is then kept.
    ///
    /// # Errors
    /// The errors of `review`; [`ReviewError::File`] if the file cannot be written.
    pub fn take_or(
        &mut self,
        rated: RatedGame,
        review: impl FnOnce(RatedGame) -> Result<ReviewedGame, ReviewError>,
    ) -> Result<ReviewedGame, ReviewError> {
        let key = (key(&rated.game), rated.ratings);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = review(rated)?;
        let line = Line { game: key.0.clone(), review: found.clone() };
        self.lines.append(&line).map_err(OutputError::io("write", &self.path))?;
        self.known.insert(key, found.clone());
        Ok(found)
    }
}

impl std::fmt::Display for Header {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} by {}", self.kind, self.engine)?;
        self.options.iter().try_for_each(|(name, value)| write!(formatter, ", {name}={value}"))?;
        write!(formatter, ", with {} visits a position", self.nodes)
    }
}

/// Writes the header into a file without a whole line: an empty one, or one whose header was cut off by a kill.
fn begin(lines: &mut Journal, path: &Path, wanted: &Header) -> Result<(), ReviewError> {
    let header =
        serde_json::to_vec(wanted).map_err(io::Error::from).map_err(OutputError::io("write", path))?;
    // The path may by mistake be that of somebody's notes, whose only line has no end. So the file must hold a beginning of the very
    // header that would be written, not just anything without a line end; any other file is left unchanged.
    let found = lines.unfinished(header.len() as u64 + 1).map_err(OutputError::io("read", path))?;
    if !header.starts_with(&found) {
        return Err(ReviewError::Kept { place: line_of(path, 1), problem: HEADER.into(), source: None });
    }
    lines.append(wanted).map_err(OutputError::io("write", path))?;
    Ok(())
}

fn parsed<T: DeserializeOwned>(
    line: io::Result<Vec<u8>>,
    path: &Path,
    number: usize,
    expected: &str,
) -> Result<T, ReviewError> {
    let line = line.map_err(OutputError::io("read", path))?;
    serde_json::from_slice(&line).map_err(|error| ReviewError::Kept {
        place: line_of(path, number),
        problem: expected.into(),
        source: Some(error),
    })
}

fn line_of(path: &Path, number: usize) -> String {
    format!("{}, line {number}", path.display())
}

fn key(game: &Game) -> String {
    let moves = game.moves().iter().map(|&played| print_uci_move(played, game.castling_mode()));
    std::iter::once(game.start_fen()).chain(moves).collect::<Vec<_>>().join(" ")
}

/// Serialises the side that moved first as `white` or `black`.
pub(crate) mod color {
    use chess::Color;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(crate) fn serialize<S: Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(color.fold_wb("white", "black"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "white" => Ok(Color::White),
            "black" => Ok(Color::Black),
            other => Err(D::Error::custom(format!("found {other:?}, expected white or black"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use chess::Color;

    use super::*;

    fn open(path: &Path, nodes: u64) -> Result<KeptReviews, ReviewError> {
        KeptReviews::open(path, "material, é", &[("CPuct".into(), "3".into())], nodes, Inputs::default())
    }

    fn rated(ratings: [u16; 2]) -> RatedGame {
        RatedGame { ratings, game: Game::default() }
    }

    fn found(rated: &RatedGame) -> ReviewedGame {
        ReviewedGame { ratings: rated.ratings, first: Color::White, values: Vec::new(), losses: Vec::new() }
    }

    #[test]
    fn wherever_a_kill_cuts_the_file_whole_reviews_are_taken_and_the_rest_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let add = |kept: &mut KeptReviews| kept.take_or(rated([1500, 1600]), |rated| Ok(found(&rated)));
        add(&mut open(&path, 100).unwrap()).unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut kept = open(&path, 100).unwrap();
            assert_eq!(kept.known.len(), usize::from(length == whole.len()), "after {length} bytes");
            add(&mut kept).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole, "after {length} bytes");
        }
    }

    /// A game that came twice was reviewed and kept twice, and one with other ratings again in every call.
    #[test]
    fn each_game_is_reviewed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        for expected in [2, 0] {
            let (mut kept, mut reviewed) = (open(&path, 100).unwrap(), 0);
            for ratings in [[1500, 1600], [1500, 1600], [1700, 1800], [1500, 1600]] {
                let review = kept.take_or(rated(ratings), |rated| {
                    reviewed += 1;
                    Ok(found(&rated))
                });
                assert_eq!(review.unwrap().ratings, ratings);
            }
            assert_eq!(reviewed, expected);
            assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3, "with the header");
        }
    }

    #[test]
    fn files_of_others_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        drop(open(&path, 100).unwrap());
        let header = fs::read_to_string(&path).unwrap();
        let other = header.trim_end().replacen("100", "101", 1);
        for text in ["notes", &other, &format!("{} and more", header.trim_end()), "notes\n"] {
            fs::write(&path, text).unwrap();
            let error = open(&path, 100).err().unwrap().to_string();
            assert!(error.contains("kept.jsonl, line 1: expected the header"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
