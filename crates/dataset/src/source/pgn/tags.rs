//! The tags of a PGN game that matter here.

use chess::{
    CastlingMode, Chess, Position,
    notation::fen::{parse_any_fen, parse_fen},
};
use pgn_reader::{KnownOutcome, Outcome, RawTag};

use super::word::is_half;
use crate::{
    record::{Eco, Players, TimeControl, Winner},
    source::{
        BadReason, Problem,
        positions::{MAX_START_CLOCK, MAX_START_MOVE},
    },
};

/// Names of the tags that matter; files spell them with other capitals too (`Fen`).
const NAMES: [&[u8]; 11] = [
    b"FEN",
    b"Variant",
    b"Result",
    b"WhiteElo",
    b"BlackElo",
    b"TimeControl",
    b"White",
    b"Black",
    b"Date",
    b"UTCDate",
    b"ECO",
];

/// The tags of a game; unknown tags are skipped, unknown players (`?`) and ratings (`?`, `-`, 0) are `None`.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// True if there is any tag, known or not.
    exist: bool,
    fen: Option<String>,
    variant: Option<String>,
    pub(super) result: Option<Outcome>,
    pub(super) white_rating: Option<u16>,
    pub(super) black_rating: Option<u16>,
    pub(super) time_control: Option<TimeControl>,
    pub(super) eco: Option<Eco>,
    pub(super) year: Option<u16>,
    pub(super) players: Players,
}

impl Tags {
    pub(super) fn read(&mut self, name: &[u8], value: RawTag<'_>) {
        self.exist = true;
        let Some(name) = NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name)) else { return };
        match name {
            // An empty one is ignored.
            b"FEN" => {
                self.fen = Some(value.decode_utf8_lossy().trim().to_owned()).filter(|fen| !fen.is_empty());
            }
            b"Variant" => self.variant = Some(value.decode_utf8_lossy().into_owned()),
            b"Result" => self.result = parse_result(value.as_bytes()),
            b"WhiteElo" => self.white_rating = parse_rating(value.as_bytes()),
            b"BlackElo" => self.black_rating = parse_rating(value.as_bytes()),
            b"TimeControl" => self.time_control = TimeControl::parse(&value.decode_utf8_lossy()),
            b"White" => self.players.white = Players::known(&value.decode_utf8_lossy()),
            b"Black" => self.players.black = Players::known(&value.decode_utf8_lossy()),
            // Lichess writes both.
            b"Date" | b"UTCDate" => self.year = parse_year(value.as_bytes()).or(self.year),
            b"ECO" => self.eco = Eco::parse(value.as_bytes()),
            _ => {}
        }
    }

    /// True if there is no tag.
    pub(super) fn is_empty(&self) -> bool {
        !self.exist
    }

    /// The first position of the game and its rules of castling: those that the tag `Variant` names, or else those of the position.
    pub(super) fn start(&self) -> Result<(Chess, CastlingMode), Problem> {
        let is_chess960 = self.is_chess960()?;
        let Some(text) = &self.fen else {
            return Ok((Chess::default(), CastlingMode::from_chess960(is_chess960)));
        };
        let read = if is_chess960 {
            parse_fen(text, CastlingMode::Chess960).map(|position| (position, CastlingMode::Chess960))
        } else {
            parse_any_fen(text)
        };
        let (position, mode) = read.map_err(|error| Problem::new(BadReason::BadFen, error.to_string()))?;
        let (clock, number) = (position.halfmoves(), position.fullmoves().get());
        if clock > MAX_START_CLOCK || number > MAX_START_MOVE {
            let detail = format!(
                "FEN {text:?}: clock {clock} or move {number} is too large, expected at most {MAX_START_CLOCK} and \
                 {MAX_START_MOVE}"
            );
            return Err(Problem::new(BadReason::BadFen, detail));
        }
        Ok((position, mode))
    }

    fn is_chess960(&self) -> Result<bool, Problem> {
        let Some(variant) = &self.variant else {
            return Ok(false);
        };
        // Spaces, hyphens and slashes are spelt in every way.
        let letters = variant.chars().filter(char::is_ascii_alphanumeric);
        match letters.collect::<String>().to_ascii_lowercase().as_str() {
            "" | "standard" | "standardchess" | "chess" | "normal" | "classical" | "orthodox"
            | "fromposition" => Ok(false),
            "chess960"
            | "960"
            | "frc"
            | "fischerandom"
            | "fischerandomchess"
            | "fischerandomchess960"
            | "fischerrandom"
            | "fischerrandomchess"
            | "fischerrandomchess960"
            | "chess960fischerandom"
            | "chess960fischerrandom"
            | "chess960fischerrandomchess"
            | "doublefischerrandom"
            | "doublefischerrandomchess"
            | "dfrc"
            | "chess9lx"
            | "wildfr"
            | "freestyle"
            | "freestylechess" => Ok(true),
            _ => Err(Problem::new(
                BadReason::UnsupportedVariant,
                format!("Variant {variant:?}, expected Standard or Chess960"),
            )),
        }
    }
}

/// The winner by a termination marker; `None` for `*`.
pub(super) fn winner(outcome: Outcome) -> Option<Winner> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => {
            Some(if winner.is_white() { Winner::White } else { Winner::Black })
        }
        Outcome::Known(KnownOutcome::Draw) => Some(Winner::Draw),
        Outcome::Unknown => None,
    }
}

/// The result in a tag, in which blanks do not matter.
fn parse_result(value: &[u8]) -> Option<Outcome> {
    Outcome::from_ascii(value).ok().or_else(|| {
        let value: Vec<u8> = value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let is_draw = is_half(&value) || value == "½-½".as_bytes();
        if is_draw { Some(Outcome::Known(KnownOutcome::Draw)) } else { Outcome::from_ascii(&value).ok() }
    })
}

/// The year of a date such as `2014.01.31` or `1972.??.??`; `None` for `????.??.??` and other text.
fn parse_year(value: &[u8]) -> Option<u16> {
    let digits = std::str::from_utf8(value).ok()?.trim().split('.').next()?;
    digits.parse().ok().filter(|year| (1000..=9999).contains(year))
}

fn parse_rating(value: &[u8]) -> Option<u16> {
    std::str::from_utf8(value).ok()?.trim().parse().ok().filter(|&rating| rating > 0)
}
