use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use chess::Wdl;
use files::run::ResultKind;
use player::PlayerSpecification;
use serde_json::json;
use strength::{
    metrics::{Expectation, PlayedPosition, Take, ValueCalibration, human::OPENING_PLIES, read_played},
    panel::{Lateness, Reply},
};

use super::{Found, MetricOptions, Tested};
use crate::commands::suite::bar;

/// Calibration of the player's expected scores: what movers scored in positions where it expected a given score, compared
/// with the mean score and with material
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tabiya metrics value default,nodes=100 games.pgn.zst --sample 5000")]
pub(super) struct Arguments {
    /// Player: a network, or a UCI engine with option.UCI_ShowWDL=true
    pub(super) player: PlayerSpecification,
    /// Games with results: PGN (plain, .gz, .bz2, .zst or .zip), or a sample store, of which the validation split is used
    games: PathBuf,
    /// Maximum positions per game; the first ten plies are left out
    #[arg(long, default_value_t = Take::PER_GAME, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    per_game: u16,
    #[command(flatten)]
    pub(super) options: MetricOptions,
}

/// Compares the player's expected scores with the results.
pub(super) fn run(tested: &Tested<'_>, arguments: &Arguments) -> Result<Found> {
    let place = arguments.games.display().to_string();
    let take = Take { per_game: usize::from(arguments.per_game), sample: tested.options.sample };
    let found =
        read_played(&arguments.games, take, |facts| facts.score.is_some() && facts.ply >= OPENING_PLIES)?;
    ensure!(!found.positions.is_empty(), "{place}: no position of a game with a result");
    let (expectations, late) = expectations(tested, &found.positions)?;
    let calibration = ValueCalibration::new(&arguments.player.to_string(), &expectations)
        .context("no position was left")?;
    let baselines = ValueCalibration::baselines(&found.positions);
    let mut lines: Vec<String> =
        std::iter::once(&calibration).chain(&baselines).map(ToString::to_string).collect();
    if found.bad_games > 0 {
        lines.push(format!("  {} broken games were skipped", found.bad_games));
    }
    let value = json!({
        "kind": ResultKind::Value.text(),
        "calibration": calibration,
        "baselines": baselines,
        "late": late,
        "source": place,
        "bad_games": found.bad_games,
    });
    Ok((value, lines.join("\n") + &late.to_string()))
}

/// The expected score of every position. A missing one is an error: leaving out positions where a player fails would flatter it.
fn expectations(tested: &Tested<'_>, positions: &[PlayedPosition]) -> Result<(Vec<Expectation>, Lateness)> {
    let answers = tested.with_panel(&tested.player, &bar(positions.len(), "positions"), |panel| {
        panel.ask(positions, |player, limits, position: &PlayedPosition| {
            Ok(player.choose(&position.game, limits, panel.stop)?.info.wdl)
        })
    })?;
    let replies = positions.iter().zip(answers.replies);
    let expectations =
        replies.map(|(position, reply)| expectation(position, reply)).collect::<Result<_>>()?;
    Ok((expectations, answers.late))
}

/// The expected score in a reply, with the score of the game.
fn expectation(position: &PlayedPosition, reply: Reply<Option<Wdl>>) -> Result<Expectation> {
    let wdl = match reply {
        Reply::Answer(Some(wdl)) => wdl,
        Reply::Answer(None) => bail!(
            "the player gives no win, draw and loss in {}; a UCI engine may need option.UCI_ShowWDL=true",
            position.game.fen()
        ),
        Reply::Failure(error) => return Err(error).context("an expectation is missing"),
    };
    let score = position.facts.score.context("positions without a result were left out")?;
    let (game_number, expected) = (position.game_number, f64::from(wdl.expected_score()));
    Ok(Expectation { game_number, expected, score })
}
