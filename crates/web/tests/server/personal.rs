//! A person's own games: added when they end, once, and only those that are the person's play.

use std::{fs, sync::Arc};

use crate::stage::Stage;

/// A mate in one with the white pieces.
const MATE: &str =
    r#"{"nodes":1,"fen":"7k/R7/8/8/8/8/8/1R2K3 w - - 0 1","clock":{"initial_ms":60000,"increment_ms":2000}}"#;
const MATES: &str = r#"{"ply":0,"uci":"b1b8"}"#;

#[test]
fn a_game_is_offered_once_when_it_ends_and_only_with_consent() {
    let stage = Stage::new();
    let play = |settings: &str, help: bool| {
        let game = stage.game(settings);
        if help {
            stage.post(&format!("{game}/hint"), "{}");
        }
        assert_eq!(stage.post(&format!("{game}/moves"), MATES).status, 200);
        game
    };
    let games = |stage: &Stage| stage.get("/api/v1/personal").json()["games"].as_u64();
    play(MATE, false);
    assert_eq!(games(&stage), Some(0), "nobody has consented");
    let folder = stage.path().join("personal");
    let view = stage.post("/api/v1/personal", r#"{"collect":true}"#).json();
    assert_eq!((&view["collects"], &view["folder"]), (&true.into(), &folder.display().to_string().into()));
    let game = play(MATE, false);
    play(&MATE.replace("1R2K3", "1R3K2"), true);
    assert_eq!(games(&stage), Some(1), "what had help is not the person's play");
    let kept = fs::read_dir(folder.join("games")).unwrap().next().unwrap().unwrap();
    let kept = fs::read_to_string(kept.path()).unwrap();
    for tag in ["[White \"You\"]", "[Result \"1-0\"]", "[TimeControl \"60+2\"]"] {
        assert!(kept.contains(tag), "{kept}");
    }
    // A finished game that comes back from disk was already offered.
    stage.post("/api/v1/personal/delete", "{}");
    let folder = Arc::clone(&stage.folder);
    drop(stage);
    let stage = Stage::in_folder(folder);
    stage.post("/api/v1/personal", r#"{"collect":true}"#);
    assert_eq!(stage.get(&game).json()["end"]["reason"], "checkmate");
    // A game that was resigned without a move is not a game.
    let empty = stage.game(r#"{"nodes":1}"#);
    stage.post(&format!("{empty}/resign"), "{}");
    assert_eq!(games(&stage), Some(0));
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
    fs::create_dir_all(stage.path().join("personal")).unwrap();
    fs::write(stage.path().join("personal/personal.json"), "{").unwrap();
    let told = stage.get("/api/v1/personal");
    assert!(told.status == 500 && told.text().contains("personal.json"), "{}", told.text());
    let game = stage.game(MATE);
    let ended = stage.post(&format!("{game}/moves"), MATES).json();
    assert!(ended["failure"].as_str().unwrap().contains("personal.json"), "{ended}");
}
