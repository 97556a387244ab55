//! Positions as text, for the sources of single positions.

use chess::{
    CastlingMode, Chess, Position as _,
    notation::fen::{parse_any_fen, parse_flawed_fen},
};

use super::{
    BadReason, PositionRules,
    limits::{MAX_START_CLOCK, MAX_START_MOVE},
};

/// A position with at least one legal move, from a FEN of four fields or six, and its rules of castling.
pub(super) fn parse(text: &str, rules: PositionRules) -> Result<(Chess, CastlingMode), (BadReason, String)> {
    let read = match rules {
        PositionRules::Strict => parse_any_fen(text),
        PositionRules::Repaired => parse_flawed_fen(text).map(|position| (position, CastlingMode::Standard)),
    };
    let (position, mode) = read.map_err(|error| (BadReason::BadFen, error.to_string()))?;
    check(&position, text)?;
    Ok((position, mode))
}

/// Checks that a position has a legal move and counters that fit their columns; `text` is the position as read, for
/// errors.
pub(super) fn check(position: &Chess, text: &str) -> Result<(), (BadReason, String)> {
    if position.halfmoves() > MAX_START_CLOCK || position.fullmoves().get() > MAX_START_MOVE {
        let detail =
            format!("{text:?}: a clock over {MAX_START_CLOCK} or a move number over {MAX_START_MOVE}");
        return Err((BadReason::BadFen, detail));
    }
    if position.is_game_over() {
        return Err((BadReason::NoMoves, format!("{text:?}: the game is over there")));
    }
    Ok(())
}
