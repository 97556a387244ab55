//! Positions as text, for the sources of single positions.

use chess::{CastlingMode, Chess, Position as _, notation::fen::parse_fen};

use super::BadReason;

/// Counters of a position that leave the range of their columns.
const MAX_CLOCK: u32 = 1_000;
const MAX_MOVE: u32 = 10_000;

/// A position of orthodox chess with at least one legal move, from a FEN of four fields or six.
pub(super) fn parse(text: &str) -> Result<Chess, (BadReason, String)> {
    let position = parse_fen(text, CastlingMode::Standard).map_err(|error| {
        let is_chess960 = parse_fen(text, CastlingMode::Chess960).is_ok();
        let reason = if is_chess960 { BadReason::UnsupportedVariant } else { BadReason::BadFen };
        let hint = if is_chess960 { " (a position of Chess960)" } else { "" };
        (reason, format!("{error}{hint}"))
    })?;
    if position.halfmoves() > MAX_CLOCK || position.fullmoves().get() > MAX_MOVE {
        let detail = format!("{text:?}: a clock over {MAX_CLOCK} or a move number over {MAX_MOVE}");
        return Err((BadReason::BadFen, detail));
    }
    if position.is_game_over() {
        return Err((BadReason::NoMoves, format!("{text:?}: the game is over there")));
    }
    Ok(position)
}
