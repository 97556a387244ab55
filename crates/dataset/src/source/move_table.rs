//! Games as CSV with one ply per row, as the program pgn2data writes them (<https://github.com/zq99/pgn2data>), among them
//! the moves of the World Championships 1866 to 2021 on Kaggle (`chess_wc_history_moves.csv`).
//!
//! # Label rules
//! 1. A game starts from the usual position. `move_no` counts its plies from 1, so that missing rows are noticed.
//! 2. `notation` is the move played (SAN). `fen` has the placement after the move, which must equal the
//!    result of playing it.
//! 3. Results and ratings are in another table of that program: the result of a game is unknown here.

use chess::{
    parse_san,
    shakmaty::{EnPassantMode, fen::Fen},
};

use super::{
    BadReason, Problem, Source,
    game_rows::{GameRows, GrowingGame, PlyReader},
    input::Input,
    rows::Rows,
    table::Row,
};
use crate::record::{GameRecord, Identity, Origin, Place, Players};

struct Moves;

/// Columns that such a table has.
pub(super) const COLUMNS: &[&str] = &["game_id", "move_no", "notation", "color", "fen"];

pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, GameRows::new(Moves)))
}

impl PlyReader for Moves {
    const GAME: &'static str = "game_id";

    fn begin(&self, row: &Row<'_>, place: &Place) -> Result<GrowingGame, Problem> {
        Ok(GrowingGame::new(GameRecord {
            place: place.clone(),
            origin: Some(Origin::Human),
            identity: Identity::named(row.field("game_id")),
            players: Players { white: Players::known(row.field("player")), black: None },
            ..GameRecord::default()
        }))
    }

    fn add(&self, game: &mut GrowingGame, row: &Row<'_>) -> Result<(), Problem> {
        let number = row.number::<usize>("move_no")?;
        let expected = game.record.moves.len() + 1;
        if number != Some(expected) {
            let detail = format!("move_no is {:?}, expected {expected}", row.field("move_no"));
            return Err(Problem::new(BadReason::BadSyntax, detail));
        }
        let played = parse_san(game.position(), row.field("notation")).map_err(|error| {
            Problem::new(BadReason::IllegalMove, format!("half-move {expected}: {error}"))
        })?;
        game.play(played, None, None)?;
        let fen = Fen::from_position(game.position(), EnPassantMode::Legal).to_string();
        let (reached, stated) = (placement(&fen), placement(row.field("fen")));
        if reached != stated {
            let detail = format!("half-move {expected} leads to {reached}, and fen says {stated}");
            return Err(Problem::new(BadReason::IllegalMove, detail));
        }
        if expected == 2 {
            game.record.players.black = Players::known(row.field("player"));
        }
        Ok(())
    }
}

/// The first field of a position.
fn placement(fen: &str) -> &str {
    fen.split_whitespace().next().unwrap_or_default()
}
