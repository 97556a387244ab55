//! Forsyth-Edwards Notation of four fields (as in EPD) or six.

use shakmaty::{
    CastlingMode, Chess, FromSetup, PositionError, Setup,
    fen::{Fen, ParseFenError},
};

use crate::GameError;

/// Half-move clock and move number of a FEN without them.
const DEFAULT_CLOCKS: [&str; 2] = ["0", "1"];

/// Reads a position.
///
/// Accepts missing clocks (or `-`) as 0 and 1, any white space between fields, castling rights in orthodox (`KQkq`), X-FEN or
/// Shredder-FEN (`HAha`) form, and checks that no legal move can have given, as in composed positions. Refuses everything
/// else, including more pieces than promotions can produce, whose moves would overflow the rules library's move list.
///
/// # Errors
/// [`GameError::Fen`] if the text is not a FEN, [`GameError::Position`] if the position is illegal; both with the text and
/// the reason.
pub fn parse_fen(text: &str, castling_mode: CastlingMode) -> Result<Chess, GameError> {
    let refuse = |reason: String| GameError::Fen { fen: text.into(), reason };
    let fields: Vec<&str> = text.split_whitespace().collect();
    if !(4..=6).contains(&fields.len()) {
        return Err(refuse(format!(
            "found {} fields, expected four or six: pieces, side to move, castling, en passant[, half-move clock, move \
             number]",
            fields.len()
        )));
    }
    check_pieces(fields[0]).map_err(refuse)?;
    let clock = |index: usize| {
        let given = fields.get(4 + index).copied().unwrap_or("-");
        if given == "-" { DEFAULT_CLOCKS[index] } else { given }
    };
    let six = format!("{} {} {} {} {} {}", fields[0], fields[1], fields[2], fields[3], clock(0), clock(1));
    let fen = Fen::from_ascii(six.as_bytes()).map_err(|error| refuse(explain(&error, &fields)))?;
    position_of(fen.into_setup(), castling_mode)
        .map_err(|reason| GameError::Position { fen: text.into(), reason })
}

fn position_of(setup: Setup, castling_mode: CastlingMode) -> Result<Chess, String> {
    let position = Chess::from_setup(setup, castling_mode).or_else(PositionError::ignore_impossible_check);
    position.map_err(|error: PositionError<Chess>| {
        let reason = error.to_string();
        reason.strip_prefix("illegal position: ").unwrap_or(&reason).to_owned()
    })
}

/// Gives a reason where the rules library's parser only names the field, and refuses its extensions for other variants
/// (pockets, promoted pieces).
fn check_pieces(pieces: &str) -> Result<(), String> {
    let ranks: Vec<&str> = pieces.split('/').collect();
    if ranks.len() != 8 {
        return Err(format!(
            "found {} ranks in {pieces:?}, expected eight with '/' between them",
            ranks.len()
        ));
    }
    for (rank, squares) in (1..=8).rev().zip(ranks) {
        if let Some(unknown) = squares.chars().find(|symbol| !"pnbrqkPNBRQK12345678".contains(*symbol)) {
            return Err(format!(
                "found {unknown:?} on rank {rank}, expected a piece (PNBRQK, pnbrqk) or 1-8"
            ));
        }
        let width: u32 = squares.chars().map(|symbol| symbol.to_digit(10).unwrap_or(1)).sum();
        if width != 8 {
            return Err(format!("rank {rank} ({squares:?}) has {width} squares, expected eight"));
        }
    }
    Ok(())
}

fn explain(error: &ParseFenError, fields: &[&str]) -> String {
    let field = |index: usize| fields.get(index).copied().unwrap_or_default();
    match error {
        ParseFenError::InvalidTurn => format!("found side to move {:?}, expected w or b", field(1)),
        ParseFenError::InvalidCastling => {
            format!("found castling rights {:?}, expected -, KQkq or the files of the rooks (HAha)", field(2))
        }
        ParseFenError::InvalidEpSquare => {
            format!("found en passant square {:?}, expected - or a square", field(3))
        }
        ParseFenError::InvalidHalfmoveClock => {
            format!("found half-move clock {:?}, expected a number", field(4))
        }
        ParseFenError::InvalidFullmoves => format!("found move number {:?}, expected a number", field(5)),
        other => other.to_string(),
    }
}
