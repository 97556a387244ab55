use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use output::{Begin, Inputs};
use player::{PlayerSpecification, help, of_recipe};
use run_files::FolderKind;
use serde_json::json;
use strength::{
    campaign::{Campaign, Climb, LevelledEngine},
    ladder::{LadderPlan, TOO_STRONG},
};
use terminal::MatchProgress;

use super::{
    campaign,
    engine_arguments::LevelledEngineArguments,
    match_options::{MatchOptions, even},
};

/// Measure a player's rating on the scale of an engine's `UCI_Elo` levels.
///
/// The opponents are the levels of one engine, lowest first, in the range that it declares. Climbing ends at the first level
/// that is too strong for the player (--probe); the remaining games go to the most informative levels. The result is the
/// most likely rating with a 95 % bootstrap interval, or a bound if all games were lost or won. Beyond the highest level the
/// engine plays at full strength with fixed nodes; it has no rating there, so only the Elo difference is measured.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExample:\n  tabiya ladder default,movetime=100 --games 400 --out ladders/default", help()))]
pub(crate) struct Arguments {
    /// Player to rate
    #[arg(required_unless_present = "recipe")]
    player: Option<PlayerSpecification>,
    /// Rate the player of an experiment, as recipe=PATH
    #[arg(long, value_name = "RECIPE", value_parser = of_recipe, conflicts_with = "player")]
    recipe: Option<PlayerSpecification>,
    #[command(flatten)]
    engine: LevelledEngineArguments,
    /// Elo between neighbouring levels
    #[arg(long, default_value_t = LevelledEngine::STEP, value_name = "ELO", value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Lowest level to play, instead of the engine's lowest
    #[arg(long, value_name = "ELO")]
    from: Option<i64>,
    /// Total number of games; climbing may need more
    #[arg(long, default_value_t = LadderPlan::GAMES, value_name = "N", value_parser = even)]
    games: u32,
    #[arg(long, help = format!("Games per level while climbing, up to one with less than {:.0} of the points", formatting::Percent(TOO_STRONG)))]
    #[arg(default_value_t = LadderPlan::PROBE, value_name = "N", value_parser = even)]
    probe: u32,
    /// Node counts for the engine at full strength, beyond its highest level
    #[arg(long, default_values_t = LadderPlan::BEYOND, value_name = "N,N", value_delimiter = ',')]
    beyond: Vec<u64>,
    #[command(flatten)]
    options: MatchOptions,
    /// Folder for games and result, needed for --resume
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue the ladder in the folder
    #[arg(long, requires = "out")]
    resume: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn rated(&self) -> Result<&PlayerSpecification> {
        self.player.as_ref().or(self.recipe.as_ref()).context("found no player, expected PLAYER or --recipe")
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let rated = arguments.rated()?;
    let player = rated.entrant()?;
    let engine = arguments.engine.open(i64::from(arguments.step), arguments.from)?;
    let rules = arguments.options.rules();
    let mut campaign = match &arguments.out {
        Some(path) => {
            let mut setup = rules.setup(engine.add_to(player.add_to(Inputs::default())))?;
            setup.insert("player".into(), json!(rated.to_string()));
            setup.insert("engine".into(), json!(engine.name));
            setup.insert("levels".into(), json!(engine.levels));
            setup.insert("pace".into(), json!(engine.pace.to_string()));
            setup.insert("beyond".into(), json!(arguments.beyond));
            Campaign::in_folder(path, &FolderKind::LADDER, &setup.into(), Begin::from_flag(arguments.resume))?
        }
        None => Campaign::new(None)?,
    };
    let plan = LadderPlan { probe: arguments.probe, games: arguments.games, batch: arguments.probe };
    let mut climb = Climb::new(player, engine, arguments.beyond.clone(), plan, rules.clone());
    let ended = campaign::play(&mut campaign, &mut climb, &MatchProgress::new())?;
    if let Some(report) = climb.report(campaign.played())? {
        campaign::tell(&campaign, &report, &report, arguments.json)?;
    }
    campaign::conclude(&rules, ended, "the ladder ended early")
}
