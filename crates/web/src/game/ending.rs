//! Endings of a game against the engine, each under its own name.

use chess::{Color, Ending, Outcome, pgn::PgnResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::view::ColorView;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// The loser is checkmated.
    Checkmate,
    /// Draw: no legal move, no check.
    Stalemate,
    /// Draw: neither side can ever mate.
    InsufficientMaterial,
    /// Draw: the third occurrence of a position, which this server claims for both.
    ThreefoldRepetition,
    /// Draw: fifty moves without capture or pawn move, which this server claims for both.
    FiftyMoves,
    /// The person gave up.
    Resignation,
    /// The engine accepted a draw.
    Agreement,
    /// The loser's time ran out.
    Time,
    /// Draw: time ran out, but the opponent could not have mated.
    TimeWithoutMaterial,
}

/// Ending of a finished game, also as its file holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GameEnd {
    pub(crate) reason: Reason,
    /// `None` for a draw.
    pub(crate) winner: Option<ColorView>,
}

impl From<Outcome> for GameEnd {
    fn from(outcome: Outcome) -> Self {
        let reason = match outcome.ending {
            Ending::Checkmate => Reason::Checkmate,
            Ending::Stalemate => Reason::Stalemate,
            Ending::InsufficientMaterial => Reason::InsufficientMaterial,
            Ending::ThreefoldRepetition | Ending::FivefoldRepetition => Reason::ThreefoldRepetition,
            Ending::FiftyMoves | Ending::SeventyFiveMoves => Reason::FiftyMoves,
        };
        Self { reason, winner: outcome.winner.map(ColorView::from) }
    }
}

impl GameEnd {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub(crate) fn result(self) -> PgnResult {
        PgnResult::won_by(self.winner.map(Color::from))
    }

    /// The ending in words, such as `Draw: threefold repetition`.
    pub(crate) fn text(self) -> String {
        let winner = match self.winner {
            Some(ColorView::White) => "White wins",
            Some(ColorView::Black) => "Black wins",
            None => "Draw",
        };
        let how = match self.reason {
            Reason::Checkmate => return format!("Checkmate: {winner}"),
            Reason::Resignation => return format!("Resignation: {winner}"),
            Reason::Time => return format!("Time is up: {winner}"),
            Reason::Stalemate => "stalemate",
            Reason::InsufficientMaterial => "insufficient material",
            Reason::ThreefoldRepetition => "threefold repetition",
            Reason::FiftyMoves => "fifty moves without capture or pawn move",
            Reason::Agreement => "agreed",
            Reason::TimeWithoutMaterial => "time is up, but the opponent cannot mate",
        };
        format!("{winner}: {how}")
    }

    /// The word for the PGN tag `Termination` (section 9.8.1 of the PGN standard).
    pub(crate) fn termination(self) -> &'static str {
        match self.reason {
            Reason::Time | Reason::TimeWithoutMaterial => "time forfeit",
            _ => "normal",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_of_the_rules_has_a_name_and_the_right_winner() {
        let mate = GameEnd::from(Outcome { ending: Ending::Checkmate, winner: Some(Color::Black) });
        assert_eq!((mate.text().as_str(), mate.result().as_str()), ("Checkmate: Black wins", "0-1"));
        for ending in [
            Ending::Stalemate,
            Ending::InsufficientMaterial,
            Ending::ThreefoldRepetition,
            Ending::FivefoldRepetition,
            Ending::FiftyMoves,
            Ending::SeventyFiveMoves,
        ] {
            let end = GameEnd::from(Outcome { ending, winner: None });
            assert!(end.text().starts_with("Draw: ") && end.text().len() > 8, "{}", end.text());
            assert_eq!(end.result().as_str(), "1/2-1/2");
        }
    }
}
