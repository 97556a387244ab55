//! Extended Position Description: one position per line, with operations that describe it.
//!
//! Format: the four board fields of a FEN, then operations, each an opcode with operands and a closing semicolon
//! (S. Edwards, "PGN Standard", section 16.2). The parser also accepts six-field FENs before the operations, perft
//! suites, which put the semicolon first, and lines in which the semicolon between two of the standard's operations is missing.

use std::fmt;

use shakmaty::Move;

use crate::{Game, NotationError, parse_san};

/// A position with its operations.
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position, as the start of a game.
    pub game: Game,
    /// The operations in the order of the text.
    pub operations: Vec<Operation>,
}

/// One operation of an EPD line, such as `bm Qd1+` or `id "BK.01"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode, which defines the operands (`bm`: best moves in SAN).
    pub opcode: String,
    /// The operands in the order of the text; may be empty.
    pub operands: Vec<Operand>,
}

/// An operand of an operation, such as `Qd1+` or `"BK.01"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A move, a number or any other word.
    Word(String),
    /// A quoted string, without its quotes.
    Quoted(String),
}

impl Operand {
    /// The operand as text, without quotes.
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) => text,
        }
    }
}

// Opcodes for the clocks that the four board fields lack.
const HALF_MOVE_CLOCK: &str = "hmvc";
const MOVE_NUMBER: &str = "fmvn";

/// Opcodes of section 16.2.5 with which an operation may begin after a missing semicolon. The comments `c1` to `c8` are left out,
/// because moves of pawns are spelt like them.
const OPCODES: [&str; 18] = [
    "acd",
    "acn",
    "acs",
    "am",
    "bm",
    "c0",
    "c9",
    "ce",
    "dm",
    "eco",
    HALF_MOVE_CLOCK,
    MOVE_NUMBER,
    "id",
    "nic",
    "pm",
    "pv",
    "rc",
    "sm",
];

impl Epd {
    /// Reads one EPD line. The castling rights say whether it is a position of Chess960, as in [`Game::from_any_fen`].
    ///
    /// # Errors
    /// [`NotationError::Epd`] with the column, or [`NotationError::Position`].
    pub fn parse(text: &str) -> Result<Self, NotationError> {
        let board_end = end_of_board(text);
        let operations = Scanner { text, at: board_end }.operations()?;
        let board = &text[..board_end];
        let mut fen = board.to_owned();
        if board.split_whitespace().count() == 4 {
            for (opcode, default) in [(HALF_MOVE_CLOCK, "0"), (MOVE_NUMBER, "1")] {
                let given = operations.iter().find(|operation| operation.opcode == opcode);
                let clock =
                    given.and_then(|operation| operation.operands.first()).map_or(default, Operand::text);
                fen = format!("{fen} {clock}");
            }
        }
        Ok(Self { game: Game::from_any_fen(&fen)?, operations })
    }

    /// The first operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// The first operand of an operation as text, such as the `id` or a comment `c0` .. `c9`.
    pub fn text(&self, opcode: &str) -> Option<&str> {
        self.operation(opcode)?.operands.first().map(Operand::text)
    }

    /// The moves of `bm` (best moves); empty without the operation.
    ///
    /// # Errors
    /// The errors of [`parse_san`].
    pub fn best_moves(&self) -> Result<Vec<Move>, NotationError> {
        self.moves("bm")
    }

    /// The moves of `am` (moves to avoid); empty without the operation.
    ///
    /// # Errors
    /// The errors of [`parse_san`].
    pub fn avoid_moves(&self) -> Result<Vec<Move>, NotationError> {
        self.moves("am")
    }

    /// `ce`: an evaluation in centipawns for the side to move.
    ///
    /// # Errors
    /// [`NotationError::Operand`] if it is not a number.
    pub fn centipawns(&self) -> Result<Option<i32>, NotationError> {
        self.number("ce")
    }

    /// `acd`: depth in plies of the analysis that the other operations come from.
    ///
    /// # Errors
    /// [`NotationError::Operand`] if it is not a number.
    pub fn analysis_depth(&self) -> Result<Option<u32>, NotationError> {
        self.number("acd")
    }

    /// The operands of an operation as SAN moves in this position. Commas between them separate as blanks do (`bm Ra8+, Rh8+`).
    fn moves(&self, opcode: &str) -> Result<Vec<Move>, NotationError> {
        let operands = self.operation(opcode).map_or(&[][..], |operation| &operation.operands);
        let words = operands.iter().flat_map(|operand| operand.text().split([',', ' ']));
        words.filter(|word| !word.is_empty()).map(|word| parse_san(self.game.position(), word)).collect()
    }

    /// The first operand of an operation as a whole number.
    ///
    /// # Errors
    /// [`NotationError::Operand`] if the operand is missing or not such a number.
    pub fn number<N: std::str::FromStr>(&self, opcode: &str) -> Result<Option<N>, NotationError> {
        let Some(operation) = self.operation(opcode) else { return Ok(None) };
        let found = operation.operands.first().map_or("", Operand::text);
        found.parse().map(Some).map_err(|_| NotationError::Operand {
            opcode: opcode.into(),
            found: found.into(),
            expected: "a whole number in range",
        })
    }
}

impl fmt::Display for Epd {
    /// Four board fields and the operations, in the standard's export format.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.game.fen();
        let board: Vec<&str> = fen.split(' ').take(4).collect();
        formatter.write_str(&board.join(" "))?;
        for operation in &self.operations {
            write!(formatter, " {}", operation.opcode)?;
            for operand in &operation.operands {
                match operand {
                    Operand::Word(word) => write!(formatter, " {word}")?,
                    Operand::Quoted(text) => write!(formatter, " \"{text}\"")?,
                }
            }
            formatter.write_str(";")?;
        }
        Ok(())
    }
}

/// End of the board's fields: after four words, or after six if the fifth and sixth are clocks.
fn end_of_board(text: &str) -> usize {
    let board_text = text.split(';').next().unwrap_or_default();
    let mut end = 0;
    for (number, word) in board_text.split_whitespace().take(6).enumerate() {
        let is_clock = word.bytes().all(|byte| byte.is_ascii_digit());
        if number >= 4 && !is_clock {
            break;
        }
        end = word.as_ptr().addr() - text.as_ptr().addr() + word.len();
    }
    end
}

/// Reads operations from `at` on.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn operations(mut self) -> Result<Vec<Operation>, NotationError> {
        let mut operations = Vec::new();
        loop {
            self.skip(|symbol| symbol.is_whitespace() || symbol == ';');
            if self.rest().is_empty() {
                return Ok(operations);
            }
            operations.push(self.operation()?);
        }
    }

    fn operation(&mut self) -> Result<Operation, NotationError> {
        let start = self.at;
        let opcode = self.word();
        let well_formed = opcode.starts_with(|first: char| first.is_ascii_alphabetic())
            && opcode.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !well_formed {
            let found = if opcode.is_empty() { self.rest() } else { opcode };
            return Err(self.error(start, &format!("found {found:?}, expected an opcode such as bm or id")));
        }
        let mut operands = Vec::new();
        loop {
            self.skip(char::is_whitespace);
            match self.rest().chars().next() {
                None => break,
                Some(';') => {
                    self.at += 1;
                    break;
                }
                Some('"') => operands.push(Operand::Quoted(self.quoted()?.into())),
                Some(_) => {
                    let before = self.at;
                    let word = self.word();
                    // An opcode is never an operand of these operations, so the semicolon before it is missing.
                    if !operands.is_empty() && OPCODES.contains(&word) {
                        self.at = before;
                        break;
                    }
                    operands.push(Operand::Word(word.into()));
                }
            }
        }
        Ok(Operation { opcode: opcode.into(), operands })
    }

    fn quoted(&mut self) -> Result<&'a str, NotationError> {
        let start = self.at;
        let inside = &self.rest()[1..];
        let Some(length) = inside.find('"') else {
            return Err(self.error(start, "found an unterminated string, expected a closing quotation mark"));
        };
        self.at += length + 2;
        Ok(&inside[..length])
    }

    /// Everything up to white space, a semicolon or a quotation mark.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let ends = |symbol: char| symbol.is_whitespace() || symbol == ';' || symbol == '"';
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(skipped).len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, at: usize, reason: &str) -> NotationError {
        NotationError::Epd { epd: self.text.into(), column: at + 1, reason: reason.into() }
    }
}
