//! Games of Lichess as CSV, one game per row with its moves in SAN: the set of 20,058 games that is widely used in
//! courses (<https://www.kaggle.com/datasets/datasnaek/chess>).
//!
//! `increment_code` is minutes and seconds, such as `10+5`. `winner` is `white`, `black` or `draw`;
//! `victory_status` is redundant. The times in `created_at` and `last_move_at` are rounded, so they identify
//! nothing and are not read.

use xxhash_rust::xxh3::xxh3_64;

use super::{
    BadReason, Problem, Source,
    input::Input,
    positions,
    table::{self, Row},
};
use crate::record::{Eco, GameRecord, Identity, Origin, Place, Players, Record, TimeControl, Winner};

/// Columns that such a table has.
pub(super) const COLUMNS: &[&str] = &["moves", "winner", "white_rating", "black_rating", "increment_code"];

pub(super) fn open(input: Input) -> Box<dyn Source> {
    table::open(input, |row, place| {
        let mut record = game(row, place)?;
        record.identity.row = Some(xxh3_64(row.line().as_bytes()));
        Ok([Record::Game(record)])
    })
}

fn game(row: &Row<'_>, place: &Place) -> Result<GameRecord, Problem> {
    let winner = match row.field("winner") {
        "white" => Winner::White,
        "black" => Winner::Black,
        "draw" => Winner::Draw,
        other => {
            let detail = format!("winner {other:?}, expected white, black or draw");
            return Err(Problem::new(BadReason::ConflictingResult, detail));
        }
    };
    let moves = positions::parse_moves(row.field("moves"))?;
    if let Some(turns) = row.number::<usize>("turns")?
        && turns != moves.len()
    {
        let detail = format!("{} moves, but turns is {turns}", moves.len());
        return Err(Problem::new(BadReason::Unterminated, detail));
    }
    Ok(GameRecord {
        place: place.clone(),
        moves,
        winner: Some(winner),
        white_rating: row.rating("white_rating")?,
        black_rating: row.rating("black_rating")?,
        time_control: time_control(row.field("increment_code")),
        eco: Eco::parse(row.field("opening_eco").as_bytes()),
        origin: Some(Origin::Human),
        identity: Identity::named(row.field("id")),
        players: Players {
            white: Players::known(row.field("white_id")),
            black: Players::known(row.field("black_id")),
        },
        ..GameRecord::default()
    })
}

/// Parses minutes and seconds, such as `10+5`.
fn time_control(text: &str) -> Option<TimeControl> {
    let (minutes, seconds) = text.split_once('+')?;
    let base_seconds = minutes.parse::<u32>().ok()?.checked_mul(60)?;
    Some(TimeControl { base_seconds, increment_seconds: seconds.parse().ok()? })
}
