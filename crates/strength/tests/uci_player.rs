//! The laws of players on an engine in a separate process: a script that knows their positions.
#![cfg(unix)]

use crate::material_engine;

use chess::{CastlingMode, Game, Limits};
use protocol::process::UciProcessConfig;
use strength::{
    Player,
    player::{
        UciPlayer,
        laws::{POSITIONS, check},
    },
};

#[test]
fn an_engine_obeys_the_laws_of_players() {
    let games = POSITIONS.map(|fen| Game::from_fen(fen, CastlingMode::Standard).unwrap());
    let folder = tempfile::tempdir().unwrap();
    material_engine::material_engine(folder.path(), "counts", &games);
    let config = UciProcessConfig::new(folder.path().join("counts").display().to_string());
    let factory = move || Ok(Box::new(UciPlayer::start(&config)?) as Box<dyn Player>);
    let limits = Limits { depth: Some(1), ..Limits::default() };
    check(&factory, &limits).unwrap();
}
