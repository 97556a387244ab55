//! Tables of World Championship games without moves: players' ratings, results, openings
//! (<https://www.kaggle.com/datasets/zq1400/world-chess-championships-1866-to-2021>, and the table that
//! accompanies the graph of positions). Their games count in statistics; a store cannot use them.

use super::{
    BadReason, Problem, Source,
    input::Input,
    table::{self, Row, has_columns},
};
use crate::record::{Eco, GameRecord, Identity, Origin, Place, Record, Winner};

/// Columns of one of the tables.
struct Names {
    id: &'static str,
    result: &'static str,
    white_rating: &'static str,
    black_rating: &'static str,
    eco: &'static str,
    /// A column that the other table lacks.
    mark: &'static str,
}

const TABLES: [Names; 2] = [
    Names {
        id: "game_id",
        result: "result",
        white_rating: "white_elo",
        black_rating: "black_elo",
        eco: "eco",
        mark: "date_played",
    },
    Names {
        id: "GameNumber",
        result: "Result",
        white_rating: "WhiteElo",
        black_rating: "BlackElo",
        eco: "ECO",
        mark: "HalfMoves",
    },
];

/// Names of results in either table.
const RESULTS: [(&str, Winner); 6] = [
    ("1-0", Winner::White),
    ("0-1", Winner::Black),
    ("1/2-1/2", Winner::Draw),
    ("White", Winner::White),
    ("Black", Winner::Black),
    ("Draw", Winner::Draw),
];

fn names(beginning: &str) -> Option<&'static Names> {
    TABLES.iter().find(|names| {
        let columns = [names.id, names.result, names.white_rating, names.black_rating, names.eco, names.mark];
        has_columns(beginning, &columns)
    })
}

/// True if a text begins with the heading of such a table.
pub(super) fn recognises(beginning: &str) -> bool {
    names(beginning).is_some()
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    let names = names(input.beginning()).unwrap_or(&TABLES[0]);
    table::open(input, |row, place| Ok([Record::Game(game(row, names, place)?)]))
}

fn game(row: &Row<'_>, names: &Names, place: &Place) -> Result<GameRecord, Problem> {
    let result = row.field(names.result);
    let winner = RESULTS.iter().find(|(name, _)| *name == result).map(|&(_, winner)| winner);
    let winner = winner.ok_or_else(|| {
        let known = RESULTS.map(|(name, _)| name).join(", ");
        let detail = format!("{} {result:?}, expected one of {known}", names.result);
        Problem::new(BadReason::ConflictingResult, detail)
    })?;
    Ok(GameRecord {
        place: place.clone(),
        winner: Some(winner),
        white_rating: rating(row, names.white_rating)?,
        black_rating: rating(row, names.black_rating)?,
        eco: Eco::parse(row.field(names.eco).as_bytes()),
        origin: Some(Origin::Human),
        identity: Identity::named(row.field(names.id)),
        ..GameRecord::default()
    })
}

/// A rating, which one of the tables prints as a float.
fn rating(row: &Row<'_>, column: &str) -> Result<Option<u16>, Problem> {
    let number = row.number::<f64>(column)?;
    Ok(number.filter(|number| (1.0..4000.0).contains(number)).map(|number| number as u16))
}
