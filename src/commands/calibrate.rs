use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail, ensure};
use figures::text_table;
use files::{Begin, Inputs, run::FolderKind};
use player::{
    PlayerSpecification, bundled,
    levels::{imitator, player_at, strength_file},
    network_files, network_hash, with_network,
};
use serde_json::json;
use strength::{
    Contestant, StrengthLevel, StrengthSetting, StrengthTable,
    campaign::{Calibration, Campaign, LevelledEngine, Rules},
    statistics::PoolRating,
};
use terminal::MatchProgress;

use super::{
    campaign,
    engine_arguments::{LevelledEngineArguments, named_networks},
    file_kinds::STRENGTH,
    json_of,
    match_options::{MatchOptions, even},
};

/// Measure the ratings of a network's settings, for `UCI_Elo` and the levels of the board.
///
/// A setting is a temperature for the choice of the move, with a node limit or with the rating that the human-like network
/// imitates. Each setting plays the next weaker one, then two levels of the engine, each the one nearest to the setting's
/// estimated rating so far. A match against a level ends after 20 games if one
/// side has at least 19 points. All games together give the ratings on the engine's scale, with 95 % bootstrap intervals. The table
/// is written next to the network as NET.strength.json, where the engine finds it. If the network takes
/// ratings as input, it plays the human-like levels itself; otherwise `human` does, whose table has the levels below all others.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya calibrate nets/default.tabiya --games 40 --work calibration\n  tabiya calibrate \
    human --settings human-1000:1,human-1600:0.5 --out people.json"
)]
pub(crate) struct Arguments {
    #[arg(help = named_networks())]
    net: String,
    /// Settings, weakest first
    #[arg(
        long,
        value_name = "NODES:TEMPERATURE|human-RATING:TEMPERATURE,...",
        value_delimiter = ',',
        default_values_t = Calibration::SETTINGS
    )]
    settings: Vec<StrengthSetting>,
    /// Games of each setting against its neighbour; the two levels of the engine share the same number of games
    #[arg(long, default_value_t = Calibration::GAMES, value_name = "N", value_parser = even)]
    games: u32,
    #[command(flatten)]
    engine: LevelledEngineArguments,
    #[command(flatten)]
    options: MatchOptions,
    /// Folder for the games, needed for --resume
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// Continue the calibration in the folder
    #[arg(long, requires = "work")]
    resume: bool,
    /// File for the table, instead of NET.strength.json
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,
    /// Replace an existing file of another kind with the table
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let out = match (&arguments.out, arguments.net.as_str()) {
        (Some(path), _) => path.clone(),
        (None, net) if bundled(net).is_some() => {
            bail!("the bundled network has no file to write the table next to; give one with --out")
        }
        (None, net) => strength_file(net),
    };
    let hash = network_hash(&arguments.net)?;
    let hash =
        hash.context("this evaluator has no network; a strength table belongs to the hash of a network")?;
    // Opened before hours of games, so that a path that cannot be written is an error now.
    let output = STRENGTH.open(&out, &network_files(&arguments.net), arguments.force)?;
    ensure!(
        arguments.settings.len() > 1,
        "--settings: found {}, expected at least two",
        arguments.settings.len()
    );
    let engine = arguments.engine.open(i64::from(LevelledEngine::STEP), None)?;
    let people = imitator(&arguments.net)?;
    let players = arguments
        .settings
        .iter()
        .map(|setting| player(&arguments.net, people, *setting))
        .collect::<Result<Vec<_>>>()?;
    let rules = arguments.options.rules();
    let mut campaign = match &arguments.work {
        Some(path) => {
            let inputs = with_network(with_network(Inputs::default(), &arguments.net), people);
            let mut setup = rules.setup(engine.add_to(inputs))?;
            setup.insert("net".into(), json!(arguments.net));
            setup.insert("settings".into(), json!(arguments.settings));
            setup.insert("engine".into(), json!([engine.name, engine.pace.to_string()]));
            setup.insert("games".into(), json!(arguments.games));
            setup.insert("levels".into(), json!(2));
            Campaign::in_folder(
                path,
                &FolderKind::CALIBRATION,
                &setup.into(),
                Begin::from_flag(arguments.resume),
            )?
        }
        None => Campaign::new(None)?,
    };
    let mut calibration = Calibration::new(players, engine, arguments.games, rules.clone());
    let ended = campaign::play(&mut campaign, &mut calibration, &MatchProgress::of_matches())?;
    campaign::conclude(&rules, ended, "the calibration ended early")?;
    let table = table(arguments, &calibration, &rules, hash)?;
    output.finish(json_of(&table)? + "\n")?;
    show(&table, &out)?;
    Ok(ExitCode::SUCCESS)
}

fn show(table: &StrengthTable, out: &Path) -> Result<()> {
    let header = ["setting", "rating (95 %)", "games"];
    let rows = table.levels.iter().map(|level| {
        vec![
            level.setting.to_string(),
            format!("{:.0} ({:.0} to {:.0})", level.elo, level.lower, level.upper),
            level.games.to_string(),
        ]
    });
    writeln!(std::io::stdout(), "{}", text_table(&header, rows))?;
    writeln!(std::io::stdout(), "{}\nwritten to {}", table.conditions, out.display())?;
    Ok(())
}

fn player(net: &str, people: &str, setting: StrengthSetting) -> Result<Contestant> {
    let specification: PlayerSpecification = player_at(net, people, setting).parse()?;
    Ok(specification.contestant()?)
}

/// The settings that have a rating with both ends of its interval; the others are named in the conditions.
fn table(
    arguments: &Arguments,
    calibration: &Calibration,
    rules: &Rules,
    hash: String,
) -> Result<StrengthTable> {
    let (mut levels, mut unrated) = (Vec::new(), Vec::new());
    for (&setting, (rating, games)) in arguments.settings.iter().zip(calibration.ratings()) {
        match rating {
            PoolRating { elo: Some(elo), lower: Some(lower), upper: Some(upper) } => {
                levels.push(StrengthLevel { setting, elo, lower, upper, games });
            }
            _ => unrated.push(setting.to_string()),
        }
    }
    let engine = calibration.engine();
    let mut conditions = format!(
        "{}, {} a move; {} games a match, openings {}, seed {}; {}; {}",
        StrengthTable::scale_of(&engine.name),
        engine.pace,
        arguments.games,
        rules.openings,
        rules.settings.seed,
        rules.machine,
        rules.program
    );
    if !unrated.is_empty() {
        conditions += "; without a rating, because all games were lost or won: ";
        conditions += &unrated.join(", ");
    }
    let net = &arguments.net;
    let name = Path::new(net).file_name().map_or_else(|| net.into(), |name| name.to_string_lossy());
    Ok(StrengthTable::new(name.into_owned(), hash, conditions, levels)?)
}
