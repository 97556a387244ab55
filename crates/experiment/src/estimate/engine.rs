//! Engines that generate games or label positions.

use std::path::PathBuf;

use chess::StopSignal;
use player::PlayerSpecification;

use super::{Estimate, Estimator, causes, cores, number_of, option_of, playing::watch};
use crate::Step;

/// Plies of a generated game, observed with Stockfish at 1,000 nodes and the default rules of adjudication.
/// For other players, unobserved: [`MOVES_OF_A_GAME`](super::playing::MOVES_OF_A_GAME).
pub(crate) const PLIES_OF_A_GAME: u64 = 90;

/// Seconds for which an engine is timed.
const WATCHED: f64 = 1.5;

/// Positions of the games that `data generate` plays with these options.
pub(crate) fn positions_of_games(options: &[String]) -> Option<u64> {
    // A value that is not a number is reported with the estimate of the command itself.
    let games = number_of(options, "--games").ok().flatten()?;
    Some(games.saturating_mul(PLIES_OF_A_GAME))
}

/// The estimate of a command with which an engine plays or labels positions.
pub(crate) fn engine_time(estimator: &Estimator<'_>, step: &Step) -> Result<Estimate, String> {
    let words = &step.arguments;
    let engine = option_of(words, "--engine").ok_or("no engine is named")?;
    // More processes than cores wait for each other.
    let processes =
        number_of(words, "--processes")?.map_or_else(cores, |number| number as usize).min(cores());
    // Read although the positions are counted otherwise: a text that is no number is a mistake to name.
    number_of(words, "--games")?;
    let rate = rate(engine, estimator.probe.stop)?;
    let speed = format!("{rate:.0} a second of a core, measured now, with {processes} engines");
    let (positions, source) = match step.positions {
        Some(positions) => (positions, format!(" ({PLIES_OF_A_GAME} a game)")),
        None => match counted(estimator, words)? {
            Some(positions) => (positions, " of its files".into()),
            None => return Err(format!("{speed}; its positions cannot be counted before it")),
        },
    };
    let basis = format!("about {positions} positions{source} at {speed}");
    Ok(Estimate::on_cores(positions as f64 / rate, processes as f64, &basis))
}

/// The positions in the files among a command's words, at most as many as it reads.
fn counted(estimator: &Estimator<'_>, words: &[String]) -> Result<Option<u64>, String> {
    // The first words are the command and its output.
    let files: Vec<PathBuf> = words.iter().skip(3).map(PathBuf::from).filter(|word| word.exists()).collect();
    if files.is_empty() {
        return Ok(None);
    }
    let most = number_of(words, "--max-positions")?.unwrap_or(u64::MAX);
    Ok((estimator.probe.count_positions)(&files)?.map(|positions| positions.min(most)))
}

/// Positions per second of CPU time that an engine judges, in games against itself.
fn rate(engine: &str, stop: &StopSignal) -> Result<f64, String> {
    let player: PlayerSpecification = engine.parse().map_err(|error| format!("{error}"))?;
    // By time, not by moves: engines differ by a factor of thousands.
    let watched = watch(&player, u32::MAX, WATCHED, stop).map_err(|error| causes(&error))?;
    Ok(f64::from(watched.plies) / watched.processor_seconds)
}
