//! Positions and moves as text, and the limits of the counters of a record.

use chess::{
    CastlingMode, Chess, Position as _,
    notation::fen::{parse_any_fen, parse_flawed_fen},
    parse_san,
};

use super::{BadReason, PositionRules, Problem};
use crate::record::RecordedMove;

/// Most plies of a game that is read.
pub(super) const MAX_PLIES: usize = 12_000;

/// Most half-moves without capture or pawn move before a starting position.
pub(super) const MAX_START_CLOCK: u32 = 1_000;

/// Largest move number of a starting position.
pub(super) const MAX_START_MOVE: u32 = 10_000;

/// A position with at least one legal move, from a FEN of four fields or six, and its rules of castling.
pub(super) fn parse(text: &str, rules: PositionRules) -> Result<(Chess, CastlingMode), Problem> {
    let read = match rules {
        PositionRules::Strict => parse_any_fen(text),
        PositionRules::Repaired => parse_flawed_fen(text).map(|position| (position, CastlingMode::Standard)),
    };
    let (position, mode) = read.map_err(|error| Problem::new(BadReason::BadFen, error.to_string()))?;
    check(&position, text)?;
    Ok((position, mode))
}

/// Checks that a position has a legal move and counters that fit their columns; `text` is the position as read, for
/// errors.
pub(super) fn check(position: &Chess, text: &str) -> Result<(), Problem> {
    if position.halfmoves() > MAX_START_CLOCK || position.fullmoves().get() > MAX_START_MOVE {
        let detail =
            format!("{text:?}: a clock over {MAX_START_CLOCK} or a move number over {MAX_START_MOVE}");
        return Err(Problem::new(BadReason::BadFen, detail));
    }
    if position.is_game_over() {
        return Err(Problem::new(BadReason::NoMoves, format!("{text:?}: the game is over there")));
    }
    Ok(())
}

/// Plays the moves of a text; bare move numbers (`12`, `12.`) are skipped.
pub(super) fn parse_moves(text: &str) -> Result<Vec<RecordedMove>, Problem> {
    let mut position = Chess::default();
    let mut moves = Vec::with_capacity(80);
    for word in text.split_whitespace() {
        if word.trim_end_matches('.').bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let played = parse_san(&position, word).map_err(|error| {
            Problem::new(BadReason::IllegalMove, format!("half-move {}: {error}", moves.len() + 1))
        })?;
        if moves.len() == MAX_PLIES {
            return Err(Problem::new(BadReason::TooLong, format!("more than {MAX_PLIES} half-moves")));
        }
        moves.push(played.into());
        position.play_unchecked(played);
    }
    if moves.is_empty() {
        return Err(Problem::new(BadReason::NoMoves, "a game without a move"));
    }
    Ok(moves)
}
