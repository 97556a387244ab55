//! Tables of openings: their names by the longest line that a game has followed, and, for the table of the Encyclopaedia of Chess
//! Openings, each line as a game of unknown result.

use std::{collections::HashMap, path::Path};

use chess::{Chess, Position as _};

use super::{
    BadReason, BadRecord, Problem, Source,
    input::{Input, Location},
    lines::{Line, Lines},
    positions,
    table::{self, Columns, Row, has_columns},
};
use crate::{
    DatasetError,
    packed_position::PackedPosition,
    record::{Eco, GameRecord, Identity, Record},
};

/// Openings by the positions that their lines lead to, so that transpositions find them too.
pub struct OpeningNames {
    by_position: HashMap<u64, usize>,
    openings: Vec<Opening>,
}

/// An opening by name, without the moves of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Its code in the Encyclopaedia of Chess Openings.
    pub eco: String,
    /// Name and variation, as the table spells them.
    pub name: String,
    /// Plies of its line.
    pub plies: usize,
}

/// Columns of code, name and moves (such as `1 e4 e5 2 Nf3`) of the ECO table.
pub(super) const ECO_COLUMNS: [&str; 3] = ["eco", "eco_name", "eco_example"];

/// Columns of code, name and moves: of the ECO table, and of lichess-org/chess-openings.
const TABLES: [[&str; 3]; 2] = [ECO_COLUMNS, ["eco", "name", "pgn"]];

/// Reads the lines of the ECO table as games.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    table::open(input, |row, place| {
        Ok([Record::Game(GameRecord {
            place: place.clone(),
            moves: positions::parse_moves(row.field("eco_example"))?,
            eco: Eco::parse(row.field("eco").as_bytes()),
            identity: Identity::named(row.field("eco_name")),
            ..GameRecord::default()
        })])
    })
}

impl OpeningNames {
    /// Reads a table with a heading: CSV with `eco`, `eco_name` and `eco_example`, or tab-separated values with `eco`, `name`
    /// and `pgn`. Rows whose line cannot be played are given back with their places.
    ///
    /// # Errors
    /// [`DatasetError`] when the file cannot be read or has another heading.
    pub fn read(path: &Path) -> Result<(Self, Vec<BadRecord>), DatasetError> {
        let input = Input::open(&Location::File(path.into()))?;
        let heading = input.beginning().lines().next().unwrap_or_default().trim_end().to_owned();
        let table = TABLES.into_iter().find(|names| has_columns(&heading, names));
        let (Some(names), Ok(columns)) = (table, Columns::new(&heading)) else {
            let expected = TABLES.map(|names| names.join(",")).join(" or ");
            return Err(DatasetError::bad_source(path, format!("the heading {heading:?}"), expected));
        };
        let mut found = Self { by_position: HashMap::new(), openings: Vec::new() };
        let mut broken = Vec::new();
        let mut lines = Lines::new(input);
        while let Some(line) = lines.next_row(|row| columns.is_open(row)) {
            let (line, place) = line?;
            if place.line == 1 {
                continue;
            }
            let read = match line {
                Line::Text(row) => columns.row(row).and_then(|row| found.add(&row, names)),
                Line::TooLong | Line::NotText => {
                    Err(Problem::new(BadReason::BadSyntax, "a line that is too long or not UTF-8"))
                }
            };
            if let Err(problem) = read {
                broken.push(problem.at(place));
            }
        }
        Ok((found, broken))
    }

    fn add(&mut self, row: &Row<'_>, [eco, name, line]: [&str; 3]) -> Result<(), Problem> {
        let mut position = Chess::default();
        let moves = positions::parse_moves(row.field(line))?;
        for recorded in &moves {
            position.play_unchecked(recorded.played);
        }
        let key = PackedPosition::pack(&position).key();
        self.by_position.entry(key).or_insert(self.openings.len());
        let (eco, name) = (row.field(eco).to_owned(), row.field(name).to_owned());
        self.openings.push(Opening { eco, name, plies: moves.len() });
        Ok(())
    }

    /// Rows of the table that could be played.
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// True if none was read.
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// The opening whose line leads to a position.
    pub fn at(&self, position: &PackedPosition) -> Option<&Opening> {
        self.by_position.get(&position.key()).map(|&opening| &self.openings[opening])
    }

    /// The opening with the longest line that a game has followed, or reached by another order of moves.
    pub fn of_game(&self, game: &GameRecord) -> Option<&Opening> {
        let longest = self.openings.iter().map(|opening| opening.plies).max()?;
        let mut position = game.start.clone();
        let mut found = None;
        for recorded in game.moves.iter().take(longest) {
            position.play_unchecked(recorded.played);
            found = self.at(&PackedPosition::pack(&position)).or(found);
        }
        found
    }
}
