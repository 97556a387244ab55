//! A person's own games, to which games played on the page are added if the person wishes it.

use std::path::PathBuf;

use chess::{Color, Game};
use dataset::record::{GameRecord, TimeControl, Winner};
use personal::{LEAST_GAMES, PersonalError, PersonalStore};
use serde::Serialize;
use utoipa::ToSchema;

/// A person's store as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PersonalView {
    /// The folder of the games on the server's machine.
    folder: String,
    /// Games in it.
    games: usize,
    /// Smallest number of games from which a network learns.
    least_games: usize,
    /// True if games that end on the page are added.
    collects: bool,
}

/// A game that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinishedGame<'a> {
    pub(crate) game: &'a Game,
    /// The person's side.
    pub(crate) person: Color,
    /// The winner; `None` for a draw.
    pub(crate) winner: Option<Color>,
    pub(crate) time_control: Option<TimeControl>,
}

/// A folder in which a store of games may be created once the person consents. Nothing is written before
/// [`PersonalFolder::collect`] was called with `true`, and after [`PersonalFolder::delete`] no game is left and none is added.
#[derive(Clone, Debug)]
pub(crate) struct PersonalFolder(pub(crate) PathBuf);

impl PersonalFolder {
    fn store(&self) -> Result<Option<PersonalStore>, PersonalError> {
        PersonalStore::is_at(&self.0).then(|| PersonalStore::open(&self.0)).transpose()
    }

    /// The current state; a missing store has no games and collects none.
    pub(crate) fn view(&self) -> Result<PersonalView, PersonalError> {
        let (games, collects) = match self.store()? {
            None => (0, false),
            Some(store) => (store.count()?, store.collects_from_page()?),
        };
        // The browser may be on another machine than the server, or in another folder than the reader thinks.
        let folder = std::path::absolute(&self.0).unwrap_or_else(|_| self.0.clone());
        Ok(PersonalView { folder: folder.display().to_string(), games, least_games: LEAST_GAMES, collects })
    }

    /// Allows or forbids adding games from now on.
    pub(crate) fn collect(&self, wanted: bool) -> Result<PersonalView, PersonalError> {
        if wanted || PersonalStore::is_at(&self.0) {
            let _lock = PersonalStore::lock(&self.0)?;
            PersonalStore::open_or_make(&self.0)?.collect_from_page(wanted)?;
        }
        self.view()
    }

    /// Adds a game if the person wishes it.
    pub(crate) fn add(&self, game: &FinishedGame<'_>) -> Result<(), PersonalError> {
        let Some(store) = self.store()? else { return Ok(()) };
        if !store.collects_from_page()? {
            return Ok(());
        }
        let winner = match game.winner {
            Some(Color::White) => Winner::White,
            Some(Color::Black) => Winner::Black,
            None => Winner::Draw,
        };
        let record = GameRecord {
            winner: Some(winner),
            time_control: game.time_control,
            ..GameRecord::of_game(game.game)
        };
        let _lock = PersonalStore::lock(&self.0)?;
        // Another program may have deleted the store while this one waited. Writing into it now would make a folder of games again that
        // the person has just had deleted.
        if !PersonalStore::is_at(store.folder()) {
            return Ok(());
        }
        store.add_game(&record, game.person).map(drop)
    }

    /// Deletes all games.
    pub(crate) fn delete(&self) -> Result<PersonalView, PersonalError> {
        if let Some(store) = self.store()? {
            let _lock = PersonalStore::lock(&self.0)?;
            store.delete()?;
        }
        self.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_before_consent_and_nothing_is_left_after_deletion() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("personal");
        let games = PersonalFolder(place.clone());
        let mut game = Game::default();
        game.play(game.legal_moves()[0]).unwrap();
        let time_control = Some(TimeControl { base_seconds: 180, increment_seconds: 2 });
        let finished = FinishedGame { game: &game, person: Color::Black, winner: None, time_control };
        let counts = || games.view().map(|view| (view.games, view.collects)).unwrap();
        games.add(&finished).unwrap();
        games.collect(false).unwrap();
        assert_eq!(counts(), (0, false));
        assert!(!place.exists(), "nothing is written without consent");
        games.collect(true).unwrap();
        games.add(&finished).unwrap();
        games.add(&finished).unwrap();
        assert_eq!(counts(), (1, true));
        let kept = PersonalStore::open(&place).unwrap().games().unwrap();
        assert_eq!((kept[0].white, kept[0].result), (false, Some(dataset::GameResult::Draw)));
        games.collect(false).unwrap();
        let mut other = game.clone();
        other.play(other.legal_moves()[0]).unwrap();
        games.add(&FinishedGame { game: &other, ..finished }).unwrap();
        assert_eq!(counts(), (1, false), "nothing is added without consent");
        games.collect(true).unwrap();
        assert_eq!(games.delete().map(|view| view.games).unwrap(), 0);
        games.add(&finished).unwrap();
        assert_eq!(counts(), (0, false), "nothing is added after deletion");
        assert!(!place.exists());
    }

    #[test]
    fn a_damaged_store_is_told_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("personal.json"), "{").unwrap();
        let games = PersonalFolder(folder.path().into());
        let told = games.collect(true).unwrap_err().to_string();
        assert!(told.contains("personal.json"), "{told}");
        assert!(games.delete().is_err());
    }
}
