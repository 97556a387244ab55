//! The personal store as the page uses it.

use std::path::PathBuf;

use chess::Color;
use dataset::record::{GameRecord, TimeControl, Winner};
use personal::{LEAST_GAMES, PersonalStore};
use web::{FinishedGame, PersonalGames, PersonalRefusal, PersonalView};

/// A folder in which a store may be created once the person consents.
pub struct PersonalFolder(pub PathBuf);

impl PersonalFolder {
    fn store(&self) -> Result<Option<PersonalStore>, PersonalRefusal> {
        told(PersonalStore::is_at(&self.0).then(|| PersonalStore::open(&self.0)).transpose())
    }
}

impl PersonalGames for PersonalFolder {
    fn view(&self) -> Result<PersonalView, PersonalRefusal> {
        let (games, collects) = match self.store()? {
            None => (0, false),
            Some(store) => (told(store.count())?, told(store.collects_from_page())?),
        };
        // The browser may be on another machine than the server, or in another folder than the reader thinks.
        let folder = std::path::absolute(&self.0).unwrap_or_else(|_| self.0.clone());
        Ok(PersonalView { folder: folder.display().to_string(), games, least_games: LEAST_GAMES, collects })
    }

    fn collect(&self, wanted: bool) -> Result<PersonalView, PersonalRefusal> {
        if wanted || PersonalStore::is_at(&self.0) {
            let _lock = told(PersonalStore::lock(&self.0))?;
            let store = told(PersonalStore::open_or_make(&self.0))?;
            told(store.collect_from_page(wanted))?;
        }
        self.view()
    }

    fn add(&self, game: &FinishedGame<'_>) -> Result<(), PersonalRefusal> {
        let Some(store) = self.store()? else { return Ok(()) };
        if !told(store.collects_from_page())? {
            return Ok(());
        }
        let winner = match game.winner {
            Some(Color::White) => Winner::White,
            Some(Color::Black) => Winner::Black,
            None => Winner::Draw,
        };
        let time_control = game
            .clock_seconds
            .map(|[base_seconds, increment_seconds]| TimeControl { base_seconds, increment_seconds });
        let record = GameRecord { winner: Some(winner), time_control, ..GameRecord::of_game(game.game) };
        let _lock = told(PersonalStore::lock(&self.0))?;
        // Another program may have deleted the store while this one waited.
        if !PersonalStore::is_at(store.folder()) {
            return Ok(());
        }
        told(store.add_game(&record, game.person)).map(drop)
    }

    fn delete(&self) -> Result<PersonalView, PersonalRefusal> {
        if let Some(store) = self.store()? {
            let _lock = told(PersonalStore::lock(&self.0))?;
            told(store.delete())?;
        }
        self.view()
    }
}

fn told<T>(answer: Result<T, personal::PersonalError>) -> Result<T, PersonalRefusal> {
    answer.map_err(|error| PersonalRefusal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use chess::Game;

    use super::*;

    /// The laws of [`PersonalGames`].
    #[test]
    fn nothing_is_kept_before_consent_and_nothing_is_left_after_deletion() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("personal");
        let games = PersonalFolder(place.clone());
        let mut game = Game::default();
        game.play(game.legal_moves()[0]).unwrap();
        let finished =
            FinishedGame { game: &game, person: Color::Black, winner: None, clock_seconds: Some([180, 2]) };
        let counts = || games.view().map(|view| (view.games, view.collects)).unwrap();
        games.add(&finished).unwrap();
        games.collect(false).unwrap();
        assert_eq!(counts(), (0, false));
        assert!(!place.exists(), "law 1");
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
        assert_eq!(counts(), (1, false), "law 2");
        games.collect(true).unwrap();
        assert_eq!(games.delete().map(|view| view.games).unwrap(), 0);
        games.add(&finished).unwrap();
        assert_eq!(counts(), (0, false), "law 3");
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
