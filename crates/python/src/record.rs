//! Games as Python hands them over.

use chess::{CastlingMode, Game};
use pyo3::{PyResult, prelude::FromPyObject};

use crate::failure::failure;

/// FEN of the first position, moves in UCI notation, and whether castling follows Chess960 even if the FEN
/// does not show it.
#[derive(FromPyObject)]
pub(crate) struct Record(String, Vec<String>, bool);

impl Record {
    /// The game; `place` begins the message of an error.
    ///
    /// # Errors
    /// For an illegal position or move, with its number.
    pub(crate) fn game(&self, place: &str) -> PyResult<Game> {
        let Self(fen, moves, chess960) = self;
        let game =
            if *chess960 { Game::from_fen(fen, CastlingMode::Chess960) } else { Game::from_any_fen(fen) };
        let mut game = game.map_err(|error| failure(format_args!("{place}: {error}")))?;
        for (index, text) in moves.iter().enumerate() {
            let number = index + 1;
            game.play_uci(text)
                .map_err(|error| failure(format_args!("{place}: half-move {number} of the game: {error}")))?;
        }
        Ok(game)
    }
}
