//! Measured speed of a player.

use std::time::Instant;

use chess::{Game, StopSignal};
use player::PlayerSpecification;
use strength::{Contestant, Player, PlayerError};

use crate::ExperimentError;

/// Moves of each side in a game, for all players. Chosen.
pub(crate) const MOVES_OF_A_GAME: f64 = 60.0;

/// Work of a player during the measurement.
pub(crate) struct Watched {
    pub(crate) plies: u32,
    /// Nodes, if the player counts them.
    pub(crate) nodes: u64,
    pub(crate) seconds: f64,
    /// CPU time of this process and, for an engine, of its own process; where the system does not report it, `seconds`.
    pub(crate) processor_seconds: f64,
}

/// Times a player in games against itself, within its own limits, for a number of half-moves or seconds, whichever ends first.
///
/// # Errors
/// [`ExperimentError::At`] with the player that cannot be built or that failed.
pub(crate) fn watch(
    player: &PlayerSpecification,
    most_plies: u32,
    most_seconds: f64,
    stop: &StopSignal,
) -> Result<Watched, ExperimentError> {
    let contestant = player.contestant().map_err(ExperimentError::at(&player.name))?;
    let children = files::system::processor_seconds_of_children();
    let mut copy = new_copy(&contestant).map_err(ExperimentError::at(&player.name))?;
    let own = files::system::processor_seconds();
    // The clock starts after the player has started: opening a network is not part of its speed.
    let (mut game, mut plies, mut nodes, started) = (Game::default(), 0, 0, Instant::now());
    while plies < most_plies && started.elapsed().as_secs_f64() < most_seconds && !stop.is_stopped() {
        let choice =
            copy.choose(&game, &contestant.pace.limits(), stop).map_err(ExperimentError::at(&player.name))?;
        nodes += choice.info.nodes.unwrap_or(0);
        plies += 1;
        game.play(choice.chess_move).map_err(ExperimentError::at(&player.name))?;
        if game.outcome().is_some() {
            game = Game::default();
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let own = since(own, files::system::processor_seconds());
    // The system adds up the time of an engine when it has ended.
    drop(copy);
    let ended = files::system::processor_seconds_of_children();
    let engine = match since(children, ended) {
        // The system counts the whole process, so the startup, such as reading a network, is that of a second one that only starts.
        Some(engine) if engine > 0.0 => {
            drop(new_copy(&contestant).map_err(ExperimentError::at(&player.name))?);
            let begun = since(ended, files::system::processor_seconds_of_children());
            Some((engine - begun.unwrap_or_default()).max(0.0))
        }
        none => none,
    };
    let processor = own.zip(engine).map(|(own, engine)| own + engine);
    // Nothing was counted for a player that only waits, or is quicker than a tick of the clock.
    let processor_seconds = processor.filter(|&spent| spent > 0.0).unwrap_or(seconds);
    Ok(Watched { plies, nodes, seconds, processor_seconds })
}

/// A copy of a player that is ready for its first move.
fn new_copy(contestant: &Contestant) -> Result<Box<dyn Player>, PlayerError> {
    let mut copy = (contestant.factory)()?;
    copy.new_game(1)?;
    Ok(copy)
}

fn since(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    before.zip(after).map(|(before, after)| after - before)
}

/// Legal moves of a position in the middle of a game.
const MOVES_OF_A_POSITION: u64 = 35;

/// Seconds of a player's move within its limit, at this number of positions per second of a core.
pub(super) fn seconds_a_move(
    player: &PlayerSpecification,
    positions_a_second: impl FnOnce() -> Result<f64, String>,
) -> Result<f64, String> {
    if let Some(time) = player.pace.move_time {
        return Ok(time.as_secs_f64());
    }
    let nodes = player.pace.nodes.ok_or("its limit is neither nodes nor a time a move")?;
    let judged = match player.search.name {
        "policy" => 1,
        "value" => nodes.min(MOVES_OF_A_POSITION),
        _ => nodes,
    };
    Ok(judged as f64 / positions_a_second()?)
}
