use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use files::{Begin, Inputs, OutputFile, run::FolderKind};
use player::{
    PlayerRating, PlayerSpecification, help, levels::people_below, network_hash, of_recipe, rating_file,
};
use serde_json::json;
use strength::{
    campaign::{Campaign, Climb, LevelledEngine, Opponents},
    ladder::{LadderPlan, LadderReport, TOO_STRONG},
};
use terminal::MatchProgress;

use super::{
    campaign,
    engine_arguments::LevelledEngineArguments,
    file_kinds::RATING,
    json_of,
    match_options::{MatchOptions, even},
};

/// Measure a player's rating on the scale of an engine's `UCI_Elo` levels.
///
/// The climb begins at the engine's lowest level and ends at the first level that is too strong for the player (--probe). If the
/// lowest one is too strong, it descends through the human-like levels of the network `human`. Their ratings were
/// measured against Stockfish 15.1, so they are on the scale of that engine only. The remaining games go to the most informative
/// levels. The result is the most likely rating with a 95 % bootstrap interval, which takes the opponents' ratings as exact, or a
/// bound if all games were lost or won. Stockfish's option `Skill Level` reaches no lower: its level 0 equals `UCI_Elo` 1347.
/// Beyond the highest level the engine plays at full strength with fixed nodes; it has no rating there, so only the Elo difference
/// is measured.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya ladder default,movetime=100 --games 400 --out ladders/default\n  tabiya \
    ladder mlx --nodes 20000 --games 100 --keep", help()))]
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
    /// Lowest level of the engine to play, instead of its lowest
    #[arg(long, value_name = "ELO")]
    from: Option<i64>,
    /// Total number of games; climbing may need more
    #[arg(long, default_value_t = LadderPlan::GAMES, value_name = "N", value_parser = even)]
    games: u32,
    #[arg(long, help = format!("Games per level while climbing, up to one with less than {:.0} of the points", figures::Percent(TOO_STRONG)))]
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
    /// Save the rating next to the player's network as NETWORK.rating.json, where `tabiya net info`, the page and the menu of the
    /// terminal find it
    #[arg(long)]
    keep: bool,
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
    let kept = arguments.keep.then(|| kept_file(rated)).transpose()?;
    let player = rated.entrant()?;
    let engine = arguments.engine.open(i64::from(arguments.step), arguments.from)?;
    let weaker = people_below(&engine.name, engine.levels[0] as f64)?;
    let rules = arguments.options.rules();
    let mut campaign = match &arguments.out {
        Some(path) => {
            let mut setup = rules.setup(engine.add_to(player.add_to(Inputs::default())))?;
            setup.insert("player".into(), json!(rated.to_string()));
            setup.insert("engine".into(), json!(engine.name));
            setup.insert("people".into(), json!(weaker.conditions));
            setup.insert("levels".into(), json!(engine.levels));
            setup.insert("pace".into(), json!(engine.pace.to_string()));
            setup.insert("beyond".into(), json!(arguments.beyond));
            Campaign::in_folder(path, &FolderKind::LADDER, &setup.into(), Begin::from_flag(arguments.resume))?
        }
        None => Campaign::new(None)?,
    };
    let plan = LadderPlan { probe: arguments.probe, games: arguments.games, batch: arguments.probe };
    let opponents = Opponents { weaker, engine, beyond: arguments.beyond.clone() };
    let mut climb = Climb::new(player, opponents, plan, rules.clone());
    let ended = campaign::play(&mut campaign, &mut climb, &MatchProgress::new())?;
    let report = climb.report(campaign.played())?;
    if let Some(report) = &report {
        campaign::tell(&campaign, report, report, arguments.json)?;
    }
    let code = campaign::conclude(&rules, ended, "the ladder ended early")?;
    // Last, and only for a whole ladder: a rating of half its games would stay beside the network as if it were the measurement.
    if let (Some(file), Some(report)) = (kept, report) {
        keep(file, &report)?;
    }
    Ok(code)
}

/// The file for the rating next to the network, opened before the games, so that they are not played in vain.
fn kept_file(player: &PlayerSpecification) -> Result<OutputFile> {
    let net = player
        .net()
        .and_then(|net| if Path::new(net).is_file() { Some(net.into()) } else { in_repository(net) });
    let net: String = net.with_context(|| {
        format!("--keep: found {player}, expected net=PATH, or a network of the program in its repository, such as mlx")
    })?;
    let file = rating_file(&net);
    RATING.check(&file, &[], None)?;
    Ok(OutputFile::open(&file)?)
}

/// The file from which a network of the program was built, if this is the repository and it still has that file.
fn in_repository(net: &str) -> Option<String> {
    let inside = network_hash(net).ok()??;
    let files = ["nets/seeds", "nets"].map(|folder| format!("{folder}/{net}.tabiya"));
    files.into_iter().find(|file| network_hash(file).ok().flatten().as_ref() == Some(&inside))
}

fn keep(file: OutputFile, report: &LadderReport) -> Result<()> {
    PlayerRating::of(report).context("--keep: the rating is not saved, because its interval is one-sided")?;
    Ok(file.finish(json_of(report)? + "\n")?)
}
