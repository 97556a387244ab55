//! The ending of a game as the page sees it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::game::ending::{GameEnd, Reason};

/// Ending of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct EndView {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub(crate) result: &'static str,
    /// Reason for the ending.
    pub(crate) reason: Reason,
    /// In words, such as `Draw: threefold repetition`.
    pub(crate) text: String,
}

impl From<GameEnd> for EndView {
    fn from(end: GameEnd) -> Self {
        Self { result: end.result().as_str(), reason: end.reason, text: end.text() }
    }
}
