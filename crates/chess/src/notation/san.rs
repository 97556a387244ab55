//! Standard Algebraic Notation, the notation of PGN.

use shakmaty::{
    Chess, EnPassantMode, Move, Position, Role, Square,
    fen::Fen,
    san::{San, SanError, SanPlus},
    uci::UciMove,
};

use super::NotationError;

/// Signs that programs and people attach to a move: en passant, double check, check and mate in words, a novelty, and whose
/// advantage the position is. Longer ones first.
const SUFFIXES: &[&str] = &[
    "mate", "dbl", "dis", "ch", "TN", "N", "+/-", "-/+", "+/=", "=/+", "+-", "-+", "+=", "=+", "++", "=",
    "+", "#", "!", "?",
];

/// Signs of a capture en passant.
const EN_PASSANT: &[&str] = &["e.p.", "e.p", "ep.", "ep", "e"];

/// Reads a move in SAN.
///
/// Ignores check signs, `!?` annotations and the other [signs](read_san) after a move; accepts castling with zeros, promotions without
/// `=`, superfluous disambiguation, and a missing or superfluous capture sign.
///
/// # Errors
/// [`NotationError::SanForm`], [`NotationError::IllegalMove`] or [`NotationError::AmbiguousMove`].
pub fn parse_san(position: &Chess, text: &str) -> Result<Move, NotationError> {
    let san = read_san(text.trim()).ok_or_else(|| NotationError::SanForm { found: text.into() })?;
    legal_san(position, &san).map_err(|error| {
        let found = text.to_owned();
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        match error {
            SanError::IllegalSan => NotationError::IllegalMove { found, fen },
            SanError::AmbiguousSan => {
                let legal = position.legal_moves();
                let candidates: Vec<String> = legal
                    .into_iter()
                    .filter(|&candidate| {
                        san.matches(candidate)
                            || with_other_sign(san).is_some_and(|san| san.matches(candidate))
                    })
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

/// Reads a word as a move in SAN, legal or not: as the standard writes it, or with castling in zeros (`0-0`), a promotion without
/// `=` (`e8Q`) or in small letters, a hyphen between both squares (`e2-e4`), and signs after the move (`exd6e.p.`, `Nf3+-`, `Qh5ch`). `None` for any other word.
pub fn read_san(word: &str) -> Option<San> {
    let mut bare = word.trim_end_matches(|sign: char| !sign.is_ascii());
    loop {
        if let Some(san) = read_bare(bare) {
            return Some(san);
        }
        let capture = EN_PASSANT.iter().find_map(|sign| bare.strip_suffix(sign));
        bare = capture
            .filter(|capture| is_of_pawn(capture) && capture.ends_with(['3', '6']))
            .or_else(|| SUFFIXES.iter().find_map(|suffix| bare.strip_suffix(suffix)))?;
    }
}

fn is_of_pawn(word: &str) -> bool {
    word.starts_with(|file| matches!(file, 'a'..='h'))
}

fn read_bare(word: &str) -> Option<San> {
    let squares = word.strip_prefix(['N', 'B', 'R', 'Q', 'K']).unwrap_or(word);
    if let [b'a'..=b'h', b'1'..=b'8', b'-', b'a'..=b'h', b'1'..=b'8', ..] = squares.as_bytes() {
        return read_bare(&word.replacen('-', "", 1));
    }
    if let Ok(san) = San::from_ascii(word.as_bytes()) {
        return Some(san);
    }
    if word.starts_with(['0', 'o', 'O']) {
        return San::from_ascii(word.replace(['0', 'o'], "O").as_bytes()).ok();
    }
    let (last, piece) = word.char_indices().next_back()?;
    let moved = word[..last].strip_suffix('=').unwrap_or(&word[..last]);
    let promotes = is_of_pawn(word) && "NBRQnbrq".contains(piece) && moved.ends_with(['1', '8']);
    let written = promotes.then(|| format!("{moved}={}", piece.to_ascii_uppercase()))?;
    San::from_ascii(written.as_bytes()).ok()
}

/// The legal move that a SAN move names. As in python-chess (`Board.parse_san`), the capture sign is ignored, and two squares without
/// a letter are a move of any piece (`g1f3`, `e1g1`).
///
/// # Errors
/// [`SanError`] if no legal move fits, or several do.
pub fn legal_san(position: &Chess, san: &San) -> Result<Move, SanError> {
    san.to_move(position)
        .or_else(|error| match (&error, with_other_sign(*san)) {
            (SanError::IllegalSan, Some(other)) => other.to_move(position),
            _ => Err(error),
        })
        .or_else(|error| by_squares(position, *san).ok_or(error))
}

/// The legal move between two squares, if the SAN move names both and no piece.
fn by_squares(position: &Chess, san: San) -> Option<Move> {
    let San::Normal { role: Role::Pawn, file: Some(file), rank: Some(rank), to, promotion, .. } = san else {
        return None;
    };
    UciMove::Normal { from: Square::from_coords(file, rank), to, promotion }.to_move(position).ok()
}

/// The move with a capture sign if it has none, and without it if it has one. A pawn's capture names its file: without a file the move
/// can only be a push.
fn with_other_sign(san: San) -> Option<San> {
    match san {
        San::Normal { role, file, rank, capture, to, promotion } if role != Role::Pawn || file.is_some() => {
            Some(San::Normal { role, file, rank, capture: !capture, to, promotion })
        }
        _ => None,
    }
}
