//! Reviews in a file, so that a measurement of many games can be interrupted, resumed and repeated.

use std::{
    collections::HashMap,
    error::Error,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use chess::{CastlingMode, Game, print_uci_move};
use serde::{Deserialize, Serialize};

use crate::{RatedGame, bands::ReviewedGame, error::ReviewError};

/// The kind of file, with its version.
const KIND: &str = "tabiya-reviews-1";

/// The reviews of a file, to which new ones are added as they are made.
pub struct KeptReviews {
    path: PathBuf,
    file: File,
    known: HashMap<String, ReviewedGame>,
}

/// First line of the file: the settings shared by all reviews in it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    kind: String,
    engine: String,
    /// Options of the search, as `--option` has them.
    options: Vec<(String, String)>,
    nodes: u64,
}

/// A line: a game and what its review found.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The first position and the moves, FEN and UCI.
    game: String,
    review: ReviewedGame,
}

impl KeptReviews {
    /// Opens or begins a file of reviews by this engine with these options and this number of visits of each position.
    ///
    /// # Errors
    /// [`ReviewError::Kept`] for a file that cannot be used, or was made otherwise.
    pub fn open(
        path: &Path,
        engine: &str,
        options: &[(String, String)],
        nodes: u64,
    ) -> Result<Self, ReviewError> {
        let wanted = Header { kind: KIND.into(), engine: engine.into(), options: options.to_vec(), nodes };
        let name = path.display().to_string();
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .map_err(failed(&name, "cannot be opened"))?;
        let text = output::read_text(path).map_err(failed(&name, "cannot be read"))?;
        let mut lines = text.lines();
        let mut known = HashMap::new();
        match lines.next() {
            None => add_line(&mut file, &wanted).map_err(failed(&name, "cannot be written"))?,
            Some(first) => {
                let place = format!("{name}, line 1");
                let found: Header = serde_json::from_str(first)
                    .map_err(failed(&place, "expected the header of a file of reviews"))?;
                if found != wanted {
                    let problem = format!("found {found}, expected {wanted}");
                    return Err(ReviewError::Kept { place: name, problem, source: None });
                }
                for (number, line) in (2..).zip(lines) {
                    let place = format!("{name}, line {number}");
                    let line: Line = serde_json::from_str(line)
                        .map_err(failed(&place, "expected the review of a game"))?;
                    known.insert(line.game, line.review);
                }
            }
        }
        Ok(Self { path: path.into(), file, known })
    }

    /// The review of a game: the one that was kept, or else what `review` finds, which is kept.
    ///
    /// # Errors
    /// Those of `review`; [`ReviewError::Kept`] if the file cannot be written.
    pub fn take_or(
        &mut self,
        rated: RatedGame,
        review: impl FnOnce(RatedGame) -> Result<ReviewedGame, ReviewError>,
    ) -> Result<ReviewedGame, ReviewError> {
        let game = key(&rated.game);
        if let Some(known) = self.known.get(&game).filter(|known| known.ratings == rated.ratings) {
            return Ok(known.clone());
        }
        let found = review(rated)?;
        let line = Line { game, review: found.clone() };
        let place = self.path.display().to_string();
        add_line(&mut self.file, &line).map_err(failed(&place, "cannot be written"))?;
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

/// One write for the whole line, so that an interrupted run leaves whole lines.
fn add_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    file.write_all(text.as_bytes())
}

/// Says which file has what problem.
fn failed<E: Error + Send + Sync + 'static>(place: &str, problem: &str) -> impl FnOnce(E) -> ReviewError {
    let (place, problem) = (place.to_owned(), problem.to_owned());
    move |error| ReviewError::Kept { place, problem, source: Some(Box::new(error)) }
}

fn key(game: &Game) -> String {
    let mut start = game.clone();
    while start.ply() > 0 {
        start.undo();
    }
    let moves = game.moves().iter().map(|&played| print_uci_move(played, CastlingMode::Standard));
    std::iter::once(start.fen()).chain(moves).collect::<Vec<_>>().join(" ")
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
