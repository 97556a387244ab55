//! The interface through which games played on the page reach a person's own store, if the person wishes it.

use chess::{Color, Game};
use serde::Serialize;
use utoipa::ToSchema;

/// A person's store as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PersonalView {
    /// The folder of the games on the server's machine.
    pub folder: String,
    /// Games in it.
    pub games: usize,
    /// Games below which no network learns from them.
    pub least_games: usize,
    /// True if games that end on the page are added.
    pub collects: bool,
}

/// A game that has ended.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct FinishedGame<'a> {
    pub game: &'a Game,
    /// The person's side.
    pub person: Color,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Seconds of each side at the start and after each move, if there was a clock.
    pub clock_seconds: Option<[u32; 2]>,
}

/// The store cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PersonalRefusal(
    /// Description of what was found and expected, and where.
    pub String,
);

/// A person's store of games.
///
/// # Laws
/// 1. Nothing is written before [`PersonalGames::collect`] was called with `true`.
/// 2. [`PersonalGames::add`] adds nothing unless [`PersonalView::collects`].
/// 3. After [`PersonalGames::delete`] no game is left and none is added.
/// 4. Calls may come from any thread at any time.
pub trait PersonalGames: Send + Sync {
    /// The current state of the store; a missing store has no games and collects none.
    ///
    /// # Errors
    /// [`PersonalRefusal`] if it is damaged.
    fn view(&self) -> Result<PersonalView, PersonalRefusal>;

    /// Allows or forbids adding games from now on.
    ///
    /// # Errors
    /// [`PersonalRefusal`] if the choice cannot be kept.
    fn collect(&self, wanted: bool) -> Result<PersonalView, PersonalRefusal>;

    /// Adds a game if the person wishes it.
    ///
    /// # Errors
    /// [`PersonalRefusal`] if it cannot be written.
    fn add(&self, game: &FinishedGame<'_>) -> Result<(), PersonalRefusal>;

    /// Deletes all games.
    ///
    /// # Errors
    /// [`PersonalRefusal`] with the path that could not be deleted.
    fn delete(&self) -> Result<PersonalView, PersonalRefusal>;
}

/// A program without such a store.
pub(crate) struct NoPersonalGames;

impl PersonalGames for NoPersonalGames {
    fn view(&self) -> Result<PersonalView, PersonalRefusal> {
        Err(none())
    }

    fn collect(&self, _: bool) -> Result<PersonalView, PersonalRefusal> {
        Err(none())
    }

    fn add(&self, _: &FinishedGame<'_>) -> Result<(), PersonalRefusal> {
        Ok(())
    }

    fn delete(&self) -> Result<PersonalView, PersonalRefusal> {
        Err(none())
    }
}

fn none() -> PersonalRefusal {
    PersonalRefusal("this server keeps no personal games".into())
}
