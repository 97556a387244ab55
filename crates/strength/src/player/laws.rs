//! The laws of [`Player`] as a check that every implementation runs.

use std::time::{Duration, Instant};

use chess::{CastlingMode, Game, Limits, SearchError, StopSignal};

use super::{Player, PlayerError, PlayerFactory};

/// Positions that expose faulty movers: start, castling both ways, en passant, under-promotion, one legal reply to a
/// check, double check, and a bare endgame.
pub const POSITIONS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "8/5P1k/8/8/8/8/8/K7 w - - 0 1",
    "7k/6pp/8/8/8/8/8/K5RR b - - 0 1",
    "rnbqkb1r/pppp1Npp/5n2/4N3/8/8/PPPPQPPP/RNB1KB1R b KQkq - 0 1",
    "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1",
];

/// Checkmate and stalemate: nothing to choose.
const FINISHED: [&str; 2] =
    ["rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"];

/// Time after the stop signal at which law 4 is broken; generous for loaded machines.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// Checks the laws of [`Player`] on fresh players; `limits` bound each choice and must not depend on time, or law 5 breaks.
///
/// # Errors
/// A sentence that names the law, the position and what was found.
pub fn check(factory: &PlayerFactory, limits: &Limits) -> Result<(), String> {
    let mut player = factory().map_err(|error| error.to_string())?;
    let name = player.name().to_string();
    if name.is_empty() {
        return Err("law 1: the name is empty".into());
    }
    let first = choices(player.as_mut(), limits, &StopSignal::default())?;
    let mut other = factory().map_err(|error| error.to_string())?;
    if choices(other.as_mut(), limits, &StopSignal::default())? != first {
        return Err("law 5: two players with equal seeds chose differently".into());
    }
    finished_games(player.as_mut(), limits)?;
    let stopped = StopSignal::default();
    stopped.stop();
    let start = Instant::now();
    choices(player.as_mut(), &Limits { infinite: true, ..Limits::default() }, &stopped)?;
    if start.elapsed() > STOP_PATIENCE {
        return Err(format!("law 4: stopped at once, but took {:?}", start.elapsed()));
    }
    if player.name() != name {
        return Err(format!("law 1: the name was {name:?} and became {:?}", player.name()));
    }
    Ok(())
}

fn choices(player: &mut dyn Player, limits: &Limits, stop: &StopSignal) -> Result<Vec<String>, String> {
    player.new_game(7).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for fen in POSITIONS {
        let game = game(fen)?;
        let choice = player.choose(&game, limits, stop).map_err(|error| format!("law 2: {fen}: {error}"))?;
        let written = choice.chess_move.to_uci(CastlingMode::Standard).to_string();
        if !game.legal_moves().contains(&choice.chess_move) {
            return Err(format!("law 2: {written} is not legal in {fen}"));
        }
        found.push(written);
    }
    Ok(found)
}

fn finished_games(player: &mut dyn Player, limits: &Limits) -> Result<(), String> {
    for fen in FINISHED {
        match player.choose(&game(fen)?, limits, &StopSignal::default()) {
            Err(PlayerError::Search(SearchError::NoLegalMove { .. })) => {}
            other => return Err(format!("law 3: {fen} is over, but the answer was {other:?}")),
        }
    }
    Ok(())
}

fn game(fen: &str) -> Result<Game, String> {
    Game::from_fen(fen, CastlingMode::Standard).map_err(|error| error.to_string())
}
