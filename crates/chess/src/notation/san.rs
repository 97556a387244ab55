//! Standard Algebraic Notation, the notation of PGN.

use shakmaty::{
    Chess, EnPassantMode, Move, Position,
    fen::Fen,
    san::{San, SanError, SanPlus},
};

use super::error::NotationError;

/// Reads a move in SAN.
///
/// Ignores check signs and `!?` annotations; accepts castling with zeros, promotions without `=`, and superfluous
/// disambiguation.
///
/// # Errors
/// [`NotationError::SanForm`], [`NotationError::IllegalMove`] or [`NotationError::AmbiguousMove`].
pub fn parse_san(position: &Chess, text: &str) -> Result<Move, NotationError> {
    let san = normalised(text).parse::<San>().map_err(|_| NotationError::SanForm { found: text.into() })?;
    san.to_move(position).map_err(|error| {
        let found = text.to_owned();
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        match error {
            SanError::IllegalSan => NotationError::IllegalMove { found, fen },
            SanError::AmbiguousSan => {
                let legal = position.legal_moves();
                let candidates: Vec<String> = legal
                    .into_iter()
                    .filter(|&candidate| san.matches(candidate))
                    .map(|candidate| print_san(position, candidate))
                    .collect();
                NotationError::AmbiguousMove { found, fen, candidates: candidates.join(" or ") }
            }
        }
    })
}

/// Writes a legal move in SAN, with `+` or `#` if it gives check or mate.
pub fn print_san(position: &Chess, chess_move: Move) -> String {
    SanPlus::from_move(position.clone(), chess_move).to_string()
}

fn normalised(text: &str) -> String {
    let bare = text.trim().trim_end_matches(['+', '#', '!', '?']);
    if bare.starts_with("0-0") {
        return bare.replace('0', "O");
    }
    match bare.char_indices().next_back() {
        Some((last, piece)) if "NBRQ".contains(piece) && bare[..last].ends_with(['1', '8']) => {
            format!("{}={piece}", &bare[..last])
        }
        _ => bare.to_owned(),
    }
}
