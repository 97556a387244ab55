//! `tabiya compare`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use chess::{Game, StopSignal};
use output::OutputFile;
use player::PlayerSpecification;
use serde::{Deserialize, de::DeserializeOwned};
use strength::{
    comparison::{ComparedExperiment, Comparison},
    ladder::LadderReport,
    statistics::Rating,
    tournament::TournamentReport,
};
use training::Validation;

use super::check;
use crate::{
    commands::match_options::even,
    experiment::{Experiment, Output, Step, runner::Ending, runner::Runner},
    interrupt::stop_on_interrupt,
    machine::{machine, program},
};

/// Compare experiments: train what is not trained yet, play a round-robin and the ladder, and write one report.
///
/// The report has for each experiment its parameters, time and losses, the speed and strength of its player with intervals, and what
/// was published about the system. What has a result already is not done again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya compare recipes/aichess recipes/mlx --games 200 --ladder 200 --out comparison
  tabiya compare recipes/mlx --player material --games 20 --ladder 0 --out quick")]
pub(crate) struct Arguments {
    /// The experiments: TOML files, or folders with a recipe.toml
    #[arg(required = true, value_name = "RECIPE")]
    recipes: Vec<PathBuf>,
    /// Another player, which is not trained; may be repeated. Default: `default`, the bundled network
    #[arg(long = "player", value_name = "PLAYER", default_value = "default")]
    players: Vec<PlayerSpecification>,
    /// Games of each pair in the round-robin
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = even)]
    games: u32,
    /// Games of each player on the ladder of Stockfish's levels; 0 for no ladder
    #[arg(long, default_value_t = 200, value_name = "N")]
    ladder: u32,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    runs: PathBuf,
    /// Folder for games and report
    #[arg(long, value_name = "FOLDER", default_value = "comparison")]
    out: PathBuf,
}

/// One player of the comparison.
struct Compared {
    player: PlayerSpecification,
    experiment: Option<Experiment>,
}

/// What the summary of a training run says of interest here.
#[derive(Deserialize)]
struct Summary {
    positions: u64,
    seconds: f64,
    validation: Option<Validation>,
}

/// Half-moves of a game against itself over which a player's speed is measured.
const SPEED_PLIES: usize = 12;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let experiments = arguments
        .recipes
        .iter()
        .map(|path| Experiment::read(path, super::check))
        .collect::<Result<Vec<_>>>()?;
    let mut field = Vec::new();
    for experiment in experiments {
        let player = experiment.player(&arguments.runs)?;
        field.push(Compared { player, experiment: Some(experiment) });
    }
    field
        .extend(arguments.players.iter().map(|player| Compared { player: player.clone(), experiment: None }));
    for (number, one) in field.iter().enumerate() {
        let name = &one.player.name;
        ensure!(
            field[..number].iter().all(|other| other.player.name != *name),
            "two players are called {name:?}: give one of them another name"
        );
    }
    let games = games(arguments, &field)?;
    let stop = stop_on_interrupt()?;
    for experiment in field.iter().filter_map(|one| one.experiment.as_ref()) {
        let mut runner = Runner::open(&experiment.folder(&arguments.runs), stop.clone())?;
        if runner.run(&experiment.training(&arguments.runs)?)? == Ending::Interrupted {
            return Ok(ExitCode::from(130));
        }
    }
    let mut runner = Runner::open(&arguments.out, stop.clone())?;
    if runner.run(&games)? == Ending::Interrupted {
        return Ok(ExitCode::from(130));
    }
    let comparison = Comparison {
        kind: Comparison::KIND.into(),
        experiments: field.iter().map(|one| compared(arguments, one, &stop)).collect::<Result<Vec<_>>>()?,
        machine: machine(),
        program: program(),
    };
    OutputFile::open(&arguments.out.join("result.json"))?
        .finish(&serde_json::to_string_pretty(&comparison)?)?;
    Ok(match runner.renew(&report(arguments, &games)?)? {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Interrupted => ExitCode::from(130),
    })
}

/// The round-robin and the ladders.
fn games(arguments: &Arguments, field: &[Compared]) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    if field.len() > 1 {
        let mut words = vec!["match".to_string()];
        words.extend(field.iter().map(|one| one.player.text.clone()));
        words.extend(["--format", "round-robin", "--games"].map(String::from));
        words.push(arguments.games.to_string());
        steps.push(folder_step("round-robin", words, &arguments.out.join("round-robin"))?);
    }
    for one in field.iter().filter(|_| arguments.ladder > 0) {
        let name = ladder_of(&one.player);
        let words = ["ladder", &one.player.text, "--games", &arguments.ladder.to_string()].map(String::from);
        steps.push(folder_step(&name, words.to_vec(), &arguments.out.join(&name))?);
    }
    Ok(steps)
}

fn folder_step(name: &str, mut arguments: Vec<String>, folder: &Path) -> Result<Step> {
    arguments.extend(["--out".into(), folder.display().to_string()]);
    check(&arguments).with_context(|| format!("{name}: tabiya {}", arguments.join(" ")))?;
    let output = Output::Folder { begun: folder.join("setup.json"), result: folder.join("result.json") };
    Ok(Step { name: name.into(), arguments, output, settings: String::new() })
}

fn ladder_of(player: &PlayerSpecification) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    format!("ladder-{}", player.name.chars().map(letter).collect::<String>())
}

fn report(arguments: &Arguments, games: &[Step]) -> Result<Step> {
    let mut words = vec!["report".to_string(), arguments.out.join("result.json").display().to_string()];
    words.extend(games.iter().map(|step| step.output.result().display().to_string()));
    let out = arguments.out.join("report");
    words.extend([
        "--title".into(),
        "Experiments compared".into(),
        "--out".into(),
        out.display().to_string(),
    ]);
    check(&words)?;
    let output = Output::Summary(out.join("report.json"));
    Ok(Step { name: "report".into(), arguments: words, output, settings: String::new() })
}

/// What is known about one player.
fn compared(arguments: &Arguments, one: &Compared, stop: &StopSignal) -> Result<ComparedExperiment> {
    let name = one.player.name.clone();
    let ladder: Option<LadderReport> = read(&arguments.out.join(ladder_of(&one.player)).join("result.json"))?;
    let round_robin: Option<TournamentReport> = read(&arguments.out.join("round-robin").join("result.json"))?;
    let line =
        round_robin.and_then(|report| report.table.into_iter().find(|line| line.player == one.player.text));
    let mut found = ComparedExperiment {
        name,
        player: one.player.text.clone(),
        parameters: None,
        training_positions: None,
        training_seconds: None,
        policy_loss: None,
        value_loss: None,
        nodes_per_second: speed(&one.player, stop)?,
        ladder: ladder.and_then(|report| report.rating),
        round_robin: line.map(|line| Rating {
            elo: line.elo,
            lower: line.lower,
            upper: line.upper,
            games: line.games.games(),
        }),
        published: Vec::new(),
    };
    if let Some(experiment) = &one.experiment {
        let summary = experiment.folder(&arguments.runs).join(experiment.learning.result_file());
        let outcome: Summary = read(&summary)?
            .with_context(|| format!("{}: expected the summary of the training", summary.display()))?;
        found.parameters = experiment.learning.parameters()?;
        found.training_positions = Some(outcome.positions);
        found.training_seconds = Some(outcome.seconds);
        if let Some(Validation { overall, .. }) = outcome.validation {
            found.policy_loss = Some([overall.policy_loss, overall.baselines.policy_loss]);
            found.value_loss = overall.value_loss.zip(overall.baselines.value_loss).map(<[f64; 2]>::from);
        }
        let published = experiment.sections.published.iter();
        found.published = published.map(|one| [one.what.clone(), one.value.clone()]).collect();
    }
    Ok(found)
}

/// Nodes per second in the first half-moves of a game against itself, within the player's own limits; `None` for a player that
/// counts none, or has a clock.
fn speed(player: &PlayerSpecification, stop: &StopSignal) -> Result<Option<f64>> {
    if player.pace.clock.is_some() {
        return Ok(None);
    }
    let contestant = player.contestant()?;
    let mut copy = contestant.factory.build()?;
    copy.new_game(1)?;
    let (mut game, mut nodes, started) = (Game::default(), 0, Instant::now());
    for _ in 0..SPEED_PLIES {
        let limits = contestant.pace.limits();
        let choice = copy.choose(&game, &limits, stop)?;
        nodes += choice.info.nodes.unwrap_or(0);
        game.play(choice.chess_move)?;
        if game.outcome().is_some() {
            break;
        }
    }
    Ok((nodes > 0).then(|| nodes as f64 / started.elapsed().as_secs_f64()))
}

/// A JSON file; `None` where there is none.
fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>> {
    match fs::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text).map(Some).with_context(|| file.display().to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}
