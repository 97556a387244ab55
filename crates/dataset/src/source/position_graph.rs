//! World Championship games as a graph of positions: a CSV of edges, one ply per row, whose positions are placements
//! without the slashes between ranks.
//!
//! # Quirks
//! 1. The first edge of a game has the last position of the previous game as its start; the move is played from the
//!    starting position of chess, and the position after it is compared.
//! 2. The first game lacks its first edge: if an edge of Black begins a game, the move of White that leads to it is put
//!    before it.
//! 3. Winner, players and date are not in this table, but in the tables that accompany it.

use chess::{Chess, Move, Position as _, parse_san, played, shakmaty::Board};

use super::{
    BadReason, Problem, Source,
    game_rows::{GameRows, GrowingGame, PlyReader},
    input::Input,
    rows::Rows,
    table::Row,
};
use crate::record::{GameRecord, Identity, Origin, Place};

struct Edges;

/// Columns that such a table has.
pub(super) const COLUMNS: &[&str] = &["GameNumber", "Move", "Side", "ending_position", "starting_position"];

pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, GameRows::new(Edges)))
}

/// The pieces of a placement without slashes: ranks from the eighth to the first, each as long as it needs to be.
///
/// # Errors
/// The text found in place of eight ranks of eight squares.
pub fn decode_placement(text: &str) -> Result<Board, String> {
    let mut with_slashes = String::with_capacity(text.len() + 7);
    let (mut width, mut ranks) = (0, 0);
    for symbol in text.chars() {
        if width == 8 {
            with_slashes.push('/');
            width = 0;
        }
        width += symbol.to_digit(10).unwrap_or(1);
        if width > 8 {
            return Err(format!("{text:?}: rank {} has more than eight squares", 8 - ranks));
        }
        ranks += i32::from(width == 8);
        with_slashes.push(symbol);
    }
    if (ranks, width) != (8, 8) {
        return Err(format!("{text:?}: {ranks} whole ranks, expected eight"));
    }
    Board::from_ascii_board_fen(with_slashes.as_bytes()).map_err(|error| format!("{text:?}: {error}"))
}

impl PlyReader for Edges {
    const GAME: &'static str = "GameNumber";

    fn begin(&self, row: &Row<'_>, place: &Place) -> Result<GrowingGame, Problem> {
        let mut game = GrowingGame::new(GameRecord {
            place: place.clone(),
            origin: Some(Origin::Human),
            identity: Identity::named(row.field("GameNumber")),
            ..GameRecord::default()
        });
        if row.field("Side") == "black" {
            game.play(first_move(&placement(row, "starting_position")?)?, None, None)?;
        }
        Ok(game)
    }

    fn add(&self, game: &mut GrowingGame, row: &Row<'_>) -> Result<(), Problem> {
        let side = if game.position().turn().is_white() { "white" } else { "black" };
        if row.field("Side") != side {
            let detail = format!("Side is {:?}, expected {side}", row.field("Side"));
            return Err(Problem::new(BadReason::IllegalMove, detail));
        }
        if !game.record.moves.is_empty() && placement(row, "starting_position")? != *game.position().board() {
            let detail = "starting_position is not where the previous edge ends";
            return Err(Problem::new(BadReason::IllegalMove, detail));
        }
        let played = parse_san(game.position(), row.field("Move"))
            .map_err(|error| Problem::new(BadReason::IllegalMove, error.to_string()))?;
        game.play(played, None, None)?;
        if placement(row, "ending_position")? == *game.position().board() {
            return Ok(());
        }
        let detail = format!("{} does not lead to ending_position", row.field("Move"));
        Err(Problem::new(BadReason::IllegalMove, detail))
    }
}

fn placement(row: &Row<'_>, column: &str) -> Result<Board, Problem> {
    decode_placement(row.field(column)).map_err(|detail| Problem::new(BadReason::BadFen, detail))
}

/// The first move of a game that leads to these pieces.
fn first_move(pieces: &Board) -> Result<Move, Problem> {
    let start = Chess::default();
    for first in start.legal_moves() {
        if played(&start, first).board() == pieces {
            return Ok(first);
        }
    }
    Err(Problem::new(BadReason::BadFen, "no first move of White leads to starting_position"))
}
