//! Moves of a game from the starting position in SAN, separated by blanks.

use chess::{Chess, Position as _, parse_san};

use super::{BadReason, limits::MAX_PLIES, rows::Problem};
use crate::record::RecordedMove;

/// Plays the moves of a text; bare move numbers (`12`, `12.`) are skipped.
pub(super) fn parse(text: &str) -> Result<Vec<RecordedMove>, Problem> {
    let mut position = Chess::default();
    let mut moves = Vec::with_capacity(80);
    let is_number = |word: &&str| word.trim_end_matches('.').bytes().all(|byte| byte.is_ascii_digit());
    for san in text.split_whitespace().filter(|word| !is_number(word)) {
        let played = parse_san(&position, san)
            .map_err(|error| (BadReason::IllegalMove, format!("half-move {}: {error}", moves.len() + 1)))?;
        if moves.len() == MAX_PLIES {
            return Err((BadReason::TooLong, format!("more than {MAX_PLIES} half-moves")));
        }
        moves.push(played.into());
        position.play_unchecked(played);
    }
    if moves.is_empty() {
        return Err((BadReason::NoMoves, "a game without a move".into()));
    }
    Ok(moves)
}
