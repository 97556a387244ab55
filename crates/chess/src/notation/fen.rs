//! Forsyth-Edwards Notation of six fields, or without the last one or two (EPD).

use shakmaty::{
    CastlingMode, Chess, Color, FromSetup, PositionError, Role, Setup,
    fen::{Fen, ParseFenError},
};

use crate::GameError;

/// Halfmove clock and move number of a FEN without them.
const DEFAULT_CLOCKS: [&str; 2] = ["0", "1"];

/// Reads a position.
///
/// Accepts missing clocks (or `-`) as 0 and 1, any white space between fields, castling rights in orthodox
/// (`KQkq`), X-FEN or Shredder-FEN (`HAha`) form, and, as in composed positions, checks that no legal move
/// could have caused. Refuses everything else, including more pieces than promotions can produce, whose moves
/// would overflow the rules library's move list. Two bishops on squares of one colour along with eight pawns
/// are accepted, as by other programs.
///
/// # Errors
/// [`GameError::Fen`] if the text is not a FEN, [`GameError::Position`] if the position is illegal; both with the text and
/// the reason.
pub fn parse_fen(text: &str, castling_mode: CastlingMode) -> Result<Chess, GameError> {
    let setup = setup_of(text)?;
    position_of(setup.clone(), castling_mode).or_else(|error| {
        if position_of(setup, CastlingMode::Chess960).is_err() {
            return refuse(text, &error);
        }
        let reason = "a Chess960 position, whose castling rights orthodox chess does not have".into();
        Err(GameError::Position { fen: text.into(), reason })
    })
}

/// Reads a position as [`parse_fen`] does, and decides by its castling field which rules it is of: Chess960 if that field names
/// the files of rooks (Shredder-FEN, `HAha`) or grants rights that orthodox chess does not have (X-FEN), orthodox chess otherwise.
///
/// # Errors
/// As [`parse_fen`].
pub fn parse_any_fen(text: &str) -> Result<(Chess, CastlingMode), GameError> {
    let setup = setup_of(text)?;
    let castling = text.split_whitespace().nth(2).unwrap_or_default();
    let names_files = castling.chars().any(|letter| !"KQkq-".contains(letter));
    let mode = if names_files { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    let position = position_of(setup, mode).or_else(|error| refuse(text, &error))?;
    Ok((position, mode))
}

/// Reads a position of orthodox chess as [`parse_fen`] does, with two exceptions for flaws of published data
/// sets: castling rights without king and rook at home are dropped, and a side may have up to sixteen pawns
/// if it has no surplus of other pieces. More pieces are still refused, because their moves could overflow
/// the rules library's move list of 256: sixteen pawns have at most 8 * 12 + 8 * 4 moves, the other pieces at
/// most 105.
///
/// # Errors
/// As [`parse_fen`].
#[expect(clippy::result_large_err, reason = "the error holds the position that it lets through")]
pub fn parse_flawed_fen(text: &str) -> Result<Chess, GameError> {
    let setup = setup_of(text)?;
    let has_only_extra_pawns = has_only_extra_pawns(&setup);
    let position = position_of(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(|error| if has_only_extra_pawns { error.ignore_too_much_material() } else { Err(error) });
    position.or_else(|error| refuse(text, &error))
}

fn setup_of(text: &str) -> Result<Setup, GameError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    if !(4..=6).contains(&fields.len()) {
        // The pieces alone do not tell whose move it is or who may castle, and a guess would be a wrong position without a word.
        let missing = ["w", "-", "-"].get(fields.len().wrapping_sub(1)..).unwrap_or_default().join(" ");
        let hint = if missing.is_empty() {
            String::new()
        } else {
            format!("; add those that are missing, such as {missing:?}")
        };
        return Err(malformed(
            text,
            format!(
                "found {} fields, expected four to six: pieces, side to move, castling, en passant[, half-move clock[, move \
             number]]{hint}",
                fields.len()
            ),
        ));
    }
    check_pieces(fields[0]).map_err(|reason| malformed(text, reason))?;
    let mut six = fields[..4].to_vec();
    for (number, default) in DEFAULT_CLOCKS.into_iter().enumerate() {
        let given = fields.get(4 + number).copied().filter(|&given| given != "-");
        six.push(given.unwrap_or(default));
    }
    let fen = Fen::from_ascii(six.join(" ").as_bytes())
        .map_err(|error| malformed(text, explain(&error, &fields)))?;
    Ok(fen.into_setup())
}

fn malformed(text: &str, reason: String) -> GameError {
    GameError::Fen { fen: text.into(), reason }
}

#[expect(clippy::result_large_err, reason = "the error holds the position that it lets through")]
fn position_of(setup: Setup, castling_mode: CastlingMode) -> Result<Chess, PositionError<Chess>> {
    let fits = Color::ALL.into_iter().all(|color| promotions(&setup, color) + pawns(&setup, color) <= 8);
    Chess::from_setup(setup, castling_mode)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(|error| if fits { error.ignore_too_much_material() } else { Err(error) })
}

fn pawns(setup: &Setup, color: Color) -> usize {
    (setup.board.by_color(color) & setup.board.pawns()).count()
}

/// Minimum number of promoted pieces of a side; the colours of the bishops' squares are ignored.
fn promotions(setup: &Setup, color: Color) -> usize {
    let own = setup.board.by_color(color);
    let mut promoted = 0;
    for (role, at_the_start) in [(Role::Knight, 2), (Role::Bishop, 2), (Role::Rook, 2), (Role::Queen, 1)] {
        promoted += (own & setup.board.by_role(role)).count().saturating_sub(at_the_start);
    }
    promoted
}

fn refuse(text: &str, error: &PositionError<Chess>) -> Result<Chess, GameError> {
    let reason = error.to_string();
    let reason = reason.strip_prefix("illegal position: ").unwrap_or(&reason).to_owned();
    Err(GameError::Position { fen: text.into(), reason })
}

fn has_only_extra_pawns(setup: &Setup) -> bool {
    Color::ALL.into_iter().all(|color| promotions(setup, color) == 0 && pawns(setup, color) <= 16)
}

/// Checks the placement and names the problem, because the rules library's parser only names the field; refuses that
/// parser's extensions for other variants (pockets, promoted pieces).
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

fn field<'a>(fields: &[&'a str], index: usize) -> &'a str {
    fields.get(index).copied().unwrap_or_default()
}

fn explain(error: &ParseFenError, fields: &[&str]) -> String {
    match error {
        ParseFenError::InvalidTurn => format!("found side to move {:?}, expected w or b", field(fields, 1)),
        ParseFenError::InvalidCastling => {
            format!(
                "found castling rights {:?}, expected -, KQkq or the files of the rooks (HAha)",
                field(fields, 2)
            )
        }
        ParseFenError::InvalidEpSquare => {
            format!("found en passant square {:?}, expected - or a square", field(fields, 3))
        }
        ParseFenError::InvalidHalfmoveClock => {
            format!("found half-move clock {:?}, expected a number", field(fields, 4))
        }
        ParseFenError::InvalidFullmoves => {
            format!("found move number {:?}, expected a number", field(fields, 5))
        }
        other => other.to_string(),
    }
}
