//! The tags of a PGN game that matter here.

use chess::{
    CastlingMode, Chess, Position,
    shakmaty::{EnPassantMode, fen::Fen},
};
use pgn_reader::{KnownOutcome, Outcome, RawTag};

use crate::{
    record::{Eco, Players, TimeControl, Winner},
    source::{
        BadReason,
        limits::{MAX_START_CLOCK, MAX_START_MOVE},
    },
};

/// A problem of a game.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) reason: BadReason,
    pub(super) detail: String,
}

/// The tags of a game; unknown tags are skipped, unknown players (`?`) and ratings (`?`, `-`, 0) are `None`.
#[derive(Debug, Default)]
pub(super) struct Tags {
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
        match name {
            b"FEN" => self.fen = Some(value.decode_utf8_lossy().into_owned()),
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

    /// The first position of the game.
    pub(super) fn start(&self) -> Result<Chess, Finding> {
        let mode = self.castling_mode()?;
        let Some(text) = &self.fen else {
            return Ok(Chess::default());
        };
        let bad =
            |reason: String| Finding { reason: BadReason::BadFen, detail: format!("FEN {text:?}: {reason}") };
        let fen: Fen = text.trim().parse().map_err(|error| bad(format!("{error}")))?;
        let position: Chess = fen.into_position(mode).map_err(|error| bad(error.to_string()))?;
        let setup = position.to_setup(EnPassantMode::Legal);
        if setup.halfmoves > MAX_START_CLOCK || setup.fullmoves.get() > MAX_START_MOVE {
            return Err(bad(format!(
                "clock {} or move {} is too large, expected at most {MAX_START_CLOCK} and {MAX_START_MOVE}",
                setup.halfmoves, setup.fullmoves
            )));
        }
        Ok(position)
    }

    fn castling_mode(&self) -> Result<CastlingMode, Finding> {
        let Some(variant) = &self.variant else {
            return Ok(CastlingMode::Standard);
        };
        match variant.trim().to_ascii_lowercase().as_str() {
            "" | "standard" | "chess" | "normal" | "from position" => Ok(CastlingMode::Standard),
            "chess960" | "chess 960" | "fischerandom" | "fischerrandom" | "fischer random" => {
                Ok(CastlingMode::Chess960)
            }
            _ => Err(Finding {
                reason: BadReason::UnsupportedVariant,
                detail: format!("Variant {variant:?}, expected Standard or Chess960"),
            }),
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

fn parse_result(value: &[u8]) -> Option<Outcome> {
    Outcome::from_ascii(value).ok()
}

/// The year of a date such as `2014.01.31` or `1972.??.??`; `None` for `????.??.??` and other text.
fn parse_year(value: &[u8]) -> Option<u16> {
    let digits = std::str::from_utf8(value).ok()?.trim().split('.').next()?;
    digits.parse().ok().filter(|year| (1000..=9999).contains(year))
}

fn parse_rating(value: &[u8]) -> Option<u16> {
    std::str::from_utf8(value).ok()?.trim().parse().ok().filter(|&rating| rating > 0)
}
