//! The laws of evaluators on an engine that judges positions: a script that counts material.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[path = "../../../tests/doubles/material_engine.rs"]
mod doubles;
#[path = "../../../tests/doubles/engine.rs"]
mod engine;

use chess::{
    CastlingMode, Game,
    laws::{self, colour_flipped, queen_ahead, sample_games},
};
use player::open_evaluator;

#[test]
fn an_engine_that_judges_obeys_the_laws_of_evaluators() {
    let mut games = sample_games(3, 40);
    // The script declares no option of Chess960.
    games.retain(|game| game.castling_mode() == CastlingMode::Standard);
    // Opening an evaluator asks it about the start position.
    games.push(Game::default());
    let twins: Vec<Game> = games.iter().map(colour_flipped).collect();
    let ahead: Vec<Game> = queen_ahead().into_iter().map(|(game, _)| game).collect();
    let folder = tempfile::tempdir().unwrap();
    doubles::material_engine(folder.path(), "counts", games.iter().chain(&twins).chain(&ahead));
    let name = format!("uci:{}:depth=1", folder.path().join("counts").display());
    let judge = open_evaluator(&name, None).unwrap().evaluator;
    laws::evaluator::check(&*judge, &games, 0.0);
    laws::evaluator::sees_sides_alike(&*judge, &games, 0.0);
    laws::evaluator::counts_a_queen(&*judge);
}
