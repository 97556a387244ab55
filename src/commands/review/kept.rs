//! Reviews in a file, so that a measurement of many games can be ended, gone on with and repeated.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use chess::{CastlingMode, Game, print_uci_move};
use serde::{Deserialize, Serialize};

use super::{RatedGame, bands::ReviewedGame};

/// What the first line says of all others.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    kind: String,
    engine: String,
    /// Options of the search, as `--option` has them.
    options: Vec<(String, String)>,
    nodes: u64,
}

/// The kind of file, with its version.
const KIND: &str = "tabiya-reviews-1";

/// A line: a game and what its review found.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The first position and the moves, FEN and UCI.
    game: String,
    review: ReviewedGame,
}

/// The reviews of a file, to which new ones are added as they are made.
pub(super) struct KeptReviews {
    path: PathBuf,
    file: File,
    known: HashMap<String, ReviewedGame>,
}

impl KeptReviews {
    /// Opens or begins a file of reviews by this engine with these options and so many visits of each position.
    pub(super) fn open(path: &Path, engine: &str, options: &[(String, String)], nodes: u64) -> Result<Self> {
        let wanted = Header { kind: KIND.into(), engine: engine.into(), options: options.to_vec(), nodes };
        let name = path.display().to_string();
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .with_context(|| format!("{name}: cannot be opened"))?;
        let mut lines = BufReader::new(&file).lines();
        let mut known = HashMap::new();
        match lines.next() {
            None => add_line(&mut file, &wanted).with_context(|| format!("{name}: cannot be written"))?,
            Some(first) => {
                let found: Header =
                    serde_json::from_str(&first.with_context(|| format!("{name}: cannot be read"))?)
                        .with_context(|| {
                            format!("{name}, line 1: expected the header of a file of reviews")
                        })?;
                ensure!(found == wanted, "{name}: found {found}, expected {wanted}");
                for (number, line) in (2..).zip(lines) {
                    let line: Line =
                        serde_json::from_str(&line.with_context(|| format!("{name}: cannot be read"))?)
                            .with_context(|| {
                                format!("{name}, line {number}: expected the review of a game")
                            })?;
                    known.insert(line.game, line.review);
                }
            }
        }
        Ok(Self { path: path.into(), file, known })
    }

    /// The review of a game: the one that was kept, or else what `review` finds, which is kept.
    pub(super) fn take_or(
        &mut self,
        rated: RatedGame,
        review: impl FnOnce(RatedGame) -> Result<ReviewedGame>,
    ) -> Result<ReviewedGame> {
        let game = key(&rated.game);
        if let Some(known) = self.known.get(&game).filter(|known| known.ratings == rated.ratings) {
            return Ok(known.clone());
        }
        let found = review(rated)?;
        let line = Line { game, review: found.clone() };
        add_line(&mut self.file, &line)
            .with_context(|| format!("{}: cannot be written", self.path.display()))?;
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
fn add_line(file: &mut File, line: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    Ok(file.write_all(text.as_bytes())?)
}

fn key(game: &Game) -> String {
    let mut start = game.clone();
    while start.ply() > 0 {
        start.undo();
    }
    let moves = game.moves().iter().map(|&played| print_uci_move(played, CastlingMode::Standard));
    std::iter::once(start.fen()).chain(moves).collect::<Vec<_>>().join(" ")
}

/// Who moved first, as `white` or `black`.
pub(super) mod color {
    use chess::Color;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(in super::super) fn serialize<S: Serializer>(
        color: &Color,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(color.fold_wb("white", "black"))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Color, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "white" => Ok(Color::White),
            "black" => Ok(Color::Black),
            other => Err(D::Error::custom(format!("found {other:?}, expected white or black"))),
        }
    }
}
