//! Monthly Lichess games as CSV with one ply per row, as CSSLab publishes them for Maia
//! (<https://csslab.cs.toronto.edu/datasets/>).
//!
//! # Label rules
//! 1. `board` is the position before the move, which must be the one after the previous row. A file may be a piece of a larger
//!    one, so a game may begin at any row.
//! 2. `cp` evaluates the position before the move, White's view: pawns, or `#n` and `#-n` for mates, whose
//!    sign is that of the mating side, not of the side to move. Empty, `None` and `nan` are not evaluations;
//!    `#0`, whole numbers, which may be centipawns, and other text are left out and counted.

use chess::{Position as _, Score, notation::fen::parse_any_fen, parse_uci_move};

use super::{
    BadReason, Problem, Source,
    game_rows::{GameRows, GrowingGame, PlyReader},
    input::Input,
    pgn::evaluation::score_of,
    positions,
    rows::Rows,
    scores,
    table::Row,
};
use crate::{
    packed_position::PackedPosition,
    record::{GameRecord, Identity, LabelDoubt, Origin, Place, TimeControl, Winner},
};

struct Plies;

/// Columns that such a table has.
pub(super) const COLUMNS: &[&str] = &["game_id", "move", "cp", "board"];

pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, GameRows::new(Plies)))
}

impl PlyReader for Plies {
    const GAME: &'static str = "game_id";

    fn begin(&self, row: &Row<'_>, place: &Place) -> Result<GrowingGame, Problem> {
        let (start, castling_mode) = positions::parse(row.field("board"), super::PositionRules::Strict)?;
        Ok(GrowingGame::new(GameRecord {
            place: place.clone(),
            start,
            castling_mode,
            winner: winner(row.field("result"))?,
            white_rating: row.rating("white_elo")?,
            black_rating: row.rating("black_elo")?,
            time_control: TimeControl::parse(row.field("time_control")),
            origin: Some(Origin::Human),
            identity: Identity::named(row.field("game_id")),
            ..GameRecord::default()
        }))
    }

    fn add(&self, game: &mut GrowingGame, row: &Row<'_>) -> Result<(), Problem> {
        let board = row.field("board");
        let (position, _) =
            parse_any_fen(board).map_err(|error| Problem::new(BadReason::BadFen, error.to_string()))?;
        if !PackedPosition::pack(&position).repeats(&PackedPosition::pack(game.position())) {
            let detail = format!("{board:?} is not the position after the previous row");
            return Err(Problem::new(BadReason::IllegalMove, detail));
        }
        let played = parse_uci_move(game.position(), row.field("move"))
            .map_err(|error| Problem::new(BadReason::IllegalMove, error.to_string()))?;
        let evaluation = game.record.doubts.known(evaluation(row.field("cp"))).flatten();
        let evaluation = evaluation.map(|score| scores::for_mover(score, position.turn()));
        let clock = row.number::<f64>("clock")?.map(|seconds| seconds.max(0.0) as u32);
        game.play(played, evaluation, clock)
    }
}

fn winner(result: &str) -> Result<Option<Winner>, Problem> {
    Ok(Some(match result {
        "1-0" => Winner::White,
        "0-1" => Winner::Black,
        "1/2-1/2" => Winner::Draw,
        "" | "*" => return Ok(None),
        other => {
            let detail = format!("result {other:?}, expected 1-0, 0-1, 1/2-1/2 or *");
            return Err(Problem::new(BadReason::ConflictingResult, detail));
        }
    }))
}

fn evaluation(text: &str) -> Result<Option<Score>, LabelDoubt> {
    let text = text.trim();
    if text.is_empty() || ["none", "nan"].contains(&text.to_ascii_lowercase().as_str()) {
        return Ok(None);
    }
    score_of(text).map(Some)
}
