//! Reasons why a request to a game is refused.

use chess::SearchError;

use crate::engine::EngineError;

/// Reasons why something cannot be done in a game now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GameRefusal {
    #[error("the game is over: {0}")]
    Over(String),
    #[error("it is the engine's turn")]
    NotYourTurn,
    /// The page's state of the game is out of date.
    #[error("found ply {found}, expected {expected}: the game has gone on")]
    OtherPly { found: usize, expected: usize },
    #[error(transparent)]
    IllegalMove(#[from] chess::NotationError),
    /// The person has not moved yet.
    #[error("there is no move of yours to take back")]
    NothingToUndo,
    /// Another page plays this game.
    #[error("another page plays this game; take it over to move here")]
    OtherPage,
    /// A draw was already offered in this position.
    #[error("the engine declined a draw in this position already")]
    OfferedAlready,
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the engine failed: {0}")]
    Search(SearchError),
    /// A search could not be created; the error names the network.
    #[error(transparent)]
    NoSearch(Box<dyn std::error::Error + Send + Sync>),
}

impl From<SearchError> for GameRefusal {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Open(error) => Self::NoSearch(error),
            error => Self::Search(error),
        }
    }
}
