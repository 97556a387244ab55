//! A person's own games: offered when they end, once, and only those that are the person's play.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use chess::Color;
use web::{FinishedGame, PersonalGames, PersonalRefusal, PersonalView};

use crate::stage::Stage;

/// Facts of a game that a test checks: half-moves, the person's side, the winner, the clock.
type Offered = (usize, Color, Option<Color>, Option<[u32; 2]>);

/// A store in memory that records everything it is offered.
#[derive(Default)]
pub(crate) struct PersonalDouble {
    pub(crate) offered: Mutex<Vec<Offered>>,
    collects: AtomicBool,
    pub(crate) broken: AtomicBool,
}

impl PersonalGames for PersonalDouble {
    fn view(&self) -> Result<PersonalView, PersonalRefusal> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(PersonalRefusal("personal/personal.json: no JSON".into()));
        }
        let games = self.offered.lock().unwrap().len();
        let collects = self.collects.load(Ordering::Relaxed);
        Ok(PersonalView { folder: "personal".into(), games, least_games: 20, collects })
    }

    fn collect(&self, wanted: bool) -> Result<PersonalView, PersonalRefusal> {
        self.collects.store(wanted, Ordering::Relaxed);
        self.view()
    }

    fn add(&self, game: &FinishedGame<'_>) -> Result<(), PersonalRefusal> {
        self.view()?;
        if self.collects.load(Ordering::Relaxed) {
            let noted = (game.game.ply(), game.person, game.winner, game.clock_seconds);
            self.offered.lock().unwrap().push(noted);
        }
        Ok(())
    }

    fn delete(&self) -> Result<PersonalView, PersonalRefusal> {
        self.offered.lock().unwrap().clear();
        self.collect(false)
    }
}

/// A mate in one with the white pieces.
const MATE: &str =
    r#"{"nodes":1,"fen":"7k/R7/8/8/8/8/8/1R2K3 w - - 0 1","clock":{"initial_ms":60000,"increment_ms":2000}}"#;
const MATES: &str = r#"{"ply":0,"uci":"b1b8"}"#;

#[test]
fn a_game_is_offered_once_when_it_ends_and_only_with_consent() {
    let stage = Stage::new();
    let play = |help: bool| {
        let game = stage.game(MATE);
        if help {
            stage.post(&format!("{game}/hint"), "{}");
        }
        assert_eq!(stage.post(&format!("{game}/moves"), MATES).status, 200);
        game
    };
    play(false);
    assert_eq!(stage.get("/api/v1/personal").json()["games"], 0, "nobody has consented");
    let view = stage.post("/api/v1/personal", r#"{"collect":true}"#).json();
    assert_eq!((view["collects"].as_bool(), view["folder"].as_str()), (Some(true), Some("personal")));
    let game = play(false);
    play(true);
    let expected: Offered = (1, Color::White, Some(Color::White), Some([60, 2]));
    assert_eq!(*stage.personal.offered.lock().unwrap(), [expected], "what had help is not the person's play");
    // A finished game that comes back from disk was already offered.
    let (folder, id) = (Arc::clone(&stage.folder), game);
    drop(stage);
    let stage = Stage::in_folder(folder);
    stage.post("/api/v1/personal", r#"{"collect":true}"#);
    assert_eq!(stage.get(&id).json()["end"]["reason"], "checkmate");
    assert!(stage.personal.offered.lock().unwrap().is_empty());
    // A game that was resigned without a move is not a game.
    let empty = stage.game(r#"{"nodes":1}"#);
    stage.post(&format!("{empty}/resign"), "{}");
    assert!(stage.personal.offered.lock().unwrap().is_empty());
}

#[test]
fn the_games_are_deleted_and_trouble_is_told() {
    let stage = Stage::new();
    stage.post("/api/v1/personal", r#"{"collect":true}"#);
    let game = stage.game(MATE);
    stage.post(&format!("{game}/moves"), MATES);
    assert_eq!(stage.get("/api/v1/personal").json()["games"], 1);
    let view = stage.post("/api/v1/personal/delete", "{}").json();
    assert_eq!((view["games"].as_u64(), view["collects"].as_bool()), (Some(0), Some(false)));
    let unknown = stage.post("/api/v1/personal", r#"{"gather":true}"#);
    assert_eq!(unknown.status, 422, "{}", unknown.text());
    stage.personal.broken.store(true, Ordering::Relaxed);
    let told = stage.get("/api/v1/personal");
    assert!(told.status == 500 && told.text().contains("personal.json"), "{}", told.text());
    let game = stage.game(MATE);
    let ended = stage.post(&format!("{game}/moves"), MATES).json();
    assert!(ended["failure"].as_str().unwrap().contains("personal.json"), "{ended}");
}
