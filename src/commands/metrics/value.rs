//! `tabiya metrics value`.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use strength::{
    metrics::{Expectation, PlayedPosition, ValueCalibration, human::OPENING_PLIES, read_played},
    panel::{Reply, ask},
};

use super::{How, Panel};
use crate::{
    commands::suite::{bar, sampled},
    player::PlayerSpecification,
};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Player: a network, or a UCI engine with option.UCI_ShowWDL=true
    pub(super) player: PlayerSpecification,
    /// Games with results: PGN (plain, .gz or .zst), or a sample store, of which the validation split is used
    games: PathBuf,
    /// Maximum positions per game; the first ten plies are left out
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    per_game: u16,
    #[command(flatten)]
    pub(super) how: How,
}

/// Asks for expected scores and compares them with the results.
pub(super) fn run(panel: &Panel<'_>, arguments: &Arguments) -> Result<(Value, String)> {
    let place = arguments.games.display();
    let wanted = |position: &PlayedPosition| position.score.is_some() && position.ply >= OPENING_PLIES;
    let found = read_played(&arguments.games, usize::from(arguments.per_game), wanted)?;
    ensure!(!found.positions.is_empty(), "{place}: no position of a game with a result");
    let positions = sampled(found.positions, panel.how.sample);
    let expectations = expectations(panel, &positions)?;
    let calibration = ValueCalibration::new(&arguments.player.to_string(), &expectations)
        .context("no position was left")?;
    let baselines = ValueCalibration::baselines(&positions);
    let mut lines: Vec<String> =
        std::iter::once(&calibration).chain(&baselines).map(ToString::to_string).collect();
    if found.bad_games > 0 {
        lines.push(format!("  {} broken games were skipped", found.bad_games));
    }
    let value = json!({
        "kind": "tabiya-value-1",
        "calibration": calibration,
        "baselines": baselines,
        "source": place.to_string(),
        "bad_games": found.bad_games,
    });
    Ok((value, lines.join("\n")))
}

/// The expected score of every position. One that is missing is an error: leaving out where a player fails would flatter it.
fn expectations(panel: &Panel<'_>, positions: &[PlayedPosition]) -> Result<Vec<Expectation>> {
    let bar = bar(positions.len(), "positions");
    let replies = ask(
        &panel.player,
        positions,
        panel.threads(),
        |player, limits, position| Ok(player.choose(&position.game, limits, panel.stop)?.info.wdl),
        &mut || bar.inc(1),
    )?;
    bar.finish_and_clear();
    ensure!(!panel.stop.is_stopped(), "interrupted; a metric counts only as a whole");
    let mut expectations = Vec::with_capacity(positions.len());
    for (position, reply) in positions.iter().zip(replies) {
        let wdl = match reply {
            Some(Reply::Answer(Some(wdl))) => wdl,
            Some(Reply::Answer(None)) => bail!(
                "the player gives no win, draw and loss in {}; a UCI engine may need option.UCI_ShowWDL=true",
                position.game.fen()
            ),
            Some(Reply::Failure(error)) => return Err(error).context("an expectation is missing"),
            None => bail!("interrupted; a metric counts only as a whole"),
        };
        let score = position.score.context("positions without a result were left out")?;
        let (game_number, expected) = (position.game_number, f64::from(wdl.expected_score()));
        expectations.push(Expectation { game_number, expected, score });
    }
    Ok(expectations)
}
