//! Comparison of experiments: training, a round-robin, the ladder, and one report.

mod origins;

use std::path::{Path, PathBuf};

use chess::StopSignal;
use figures::DurationText;
use files::{OutputFile, WorkFolder, claim, run::FolderKind};
use player::{PlayerSpecification, RUNS, SystemNetwork};
use strength::{
    MatchSettings,
    comparison::{ComparedExperiment, Comparison},
    ladder::{LadderPlan, LadderReport},
    machine,
    statistics::Rating,
    tournament::TournamentReport,
};

use crate::{
    CheckCommand, Ending, Experiment, ExperimentError, Output, PlannedStep, Probe, Runner, Step,
    estimate::{Estimate, Estimator, MOVES_OF_A_GAME, SHORT, Watched, causes, watch},
    experiment::is_file_letter,
    runner::read,
    step::{TRAINING, text},
};

/// Players and numbers of games of a comparison.
pub struct ComparisonPlan {
    /// Games of each pair in the round-robin.
    pub games: u32,
    /// Games of each player on the ladder; 0 for no ladder.
    pub ladder: u32,
    /// Folder of all runs.
    pub runs: PathBuf,
    /// Folder for games and report.
    pub out: PathBuf,
    /// Name and version of the program, for the report.
    pub program: String,
    /// An earlier comparison, shown next to this one in the report.
    pub against: Option<Comparison>,
    field: Vec<Compared>,
    check_command: CheckCommand,
}

/// One player of the comparison.
struct Compared {
    player: PlayerSpecification,
    experiment: Option<Experiment>,
}

/// The name and folder of the step in which each player plays each other player.
const ROUND_ROBIN: &str = "round-robin";

/// Plies of a player's game against itself over which its speed is measured.
const SPEED_PLIES: u32 = 12;

/// Plies over which a player that already exists is timed for a plan.
const PLAN_PLIES: u32 = 6;

impl ComparisonPlan {
    /// Default folder for games and report.
    pub const OUT: &str = "comparison";

    /// A plan without competitors, with the default numbers of games and folders.
    pub fn new(check_command: CheckCommand, program: String) -> Self {
        let (games, ladder) = (MatchSettings::GAMES, LadderPlan::GAMES);
        let (runs, out) = (RUNS.into(), Self::OUT.into());
        Self { games, ladder, runs, out, program, against: None, field: Vec::new(), check_command }
    }

    /// Adds the player that an experiment trains; [`ComparisonPlan::runs`] must be set.
    ///
    /// # Errors
    /// [`ExperimentError`] for an experiment that describes no player, or a name that is taken.
    pub fn add_experiment(&mut self, experiment: Experiment) -> Result<(), ExperimentError> {
        let player = experiment.player(&self.runs)?;
        self.add(Compared { player, experiment: Some(experiment) })
    }

    /// Adds a player that is not trained here.
    ///
    /// # Errors
    /// [`ExperimentError::Unexpected`] for a name that is taken, or whose folder is.
    pub fn add_player(&mut self, player: PlayerSpecification) -> Result<(), ExperimentError> {
        self.add(Compared { player, experiment: None })
    }

    fn add(&mut self, one: Compared) -> Result<(), ExperimentError> {
        let name = &one.player.name;
        if self.field.iter().any(|other| other.player.name == *name) {
            let twice = format!("two players are called {name:?}: give one of them another name");
            return Err(ExperimentError::Unexpected(twice));
        }
        let folder = ladder_of(&one.player);
        if let Some(other) = self.field.iter().find(|other| ladder_of(&other.player) == folder) {
            return Err(ExperimentError::Unexpected(format!(
                "the players {:?} and {name:?} would share the folder {folder:?}: give one of them a name with other letters",
                other.player.name
            )));
        }
        self.field.push(one);
        Ok(())
    }

    /// Trains the experiments that are not trained yet, plays, and writes the report. Finished steps are skipped. `say` gets a
    /// line for each step that begins or is skipped.
    ///
    /// # Errors
    /// [`ExperimentError`] for a command that is not valid, before anything runs, and for a step without a result.
    pub fn run(&self, stop: &StopSignal, say: fn(&str)) -> Result<Ending, ExperimentError> {
        let games = self.games()?;
        for experiment in self.field.iter().filter_map(|one| one.experiment.as_ref()) {
            let mut runner = Runner::open(&experiment.folder(&self.runs), stop.clone(), say)?;
            experiment.keep(&self.runs)?;
            let ending = runner.run(&self.trained_and_validated(experiment)?)?;
            if ending != Ending::Finished {
                return Ok(ending);
            }
        }
        claim(&self.out, &FolderKind::COMPARISON)?;
        let mut runner = Runner::open(&self.out, stop.clone(), say)?;
        for one in &self.field {
            if let Some(system) = one.system().filter(|_| one.validation(&self.out).is_none()) {
                let recipe = system.network.name;
                say(&format!(
                    "{recipe}: its held-out loss is not measured: the store of recipes/{recipe} is not here"
                ));
            }
        }
        let ending = runner.run(&games)?;
        if ending != Ending::Finished {
            return Ok(ending);
        }
        let compared = self.field.iter().map(|one| self.compared(one, stop));
        let comparison = Comparison {
            kind: Comparison::KIND.into(),
            experiments: compared.collect::<Result<Vec<_>, _>>()?,
            machine: machine(),
            program: self.program.clone(),
            // The comparison that the earlier one was compared with is left out.
            against: self.against.clone().map(|against| Comparison { against: None, ..against }.into()),
        };
        let result = self.out.join(files::run::RESULT);
        let json =
            serde_json::to_string_pretty(&comparison).map_err(ExperimentError::at(result.display()))?;
        OutputFile::open(&result)?.finish(&json)?;
        runner.renew(&self.report(&games)?)
    }

    /// The commands, each with its estimated time: training the experiments, then the games.
    ///
    /// # Errors
    /// [`ExperimentError`] for a command that is not valid.
    pub fn planned(&self, probe: Probe<'_>) -> Result<Vec<PlannedStep>, ExperimentError> {
        let games = self.games()?;
        let (mut planned, mut seconds) = (Vec::new(), Vec::new());
        for Compared { player, experiment } in &self.field {
            if let Some(experiment) = experiment {
                let estimator = Estimator::new(experiment, probe);
                planned.extend(estimator.planned(self.trained_and_validated(experiment)?));
                seconds.push(estimator.seconds_a_move());
            } else {
                seconds.push(match watch(player, PLAN_PLIES, f64::INFINITY, probe.stop) {
                    Ok(watched) => Ok(watched.processor_seconds / f64::from(watched.plies.max(1))),
                    Err(error) => Err(causes(&error)),
                });
            }
        }
        for step in games {
            let estimate = if step.output.is_there() {
                Ok(Estimate::nothing("already there"))
            } else if step.name == ROUND_ROBIN {
                self.all_against_all(&seconds)
            } else if let Some(player) = self.field.iter().position(|one| ladder_of(&one.player) == step.name)
            {
                // The opponent thinks for as long.
                seconds[player].clone().map(|seconds| of_games(f64::from(self.ladder) * 2.0, seconds))
            } else {
                Err(SHORT.into())
            };
            planned.push(PlannedStep { step, estimate: Estimate::or_unknown(estimate) });
        }
        Ok(planned)
    }

    /// Time of the round-robin.
    fn all_against_all(&self, seconds: &[Result<f64, String>]) -> Result<Estimate, String> {
        let together = seconds.iter().cloned().sum::<Result<f64, String>>()?;
        // Each player meets all others, and a game takes the moves of both, so each player's time counts once per opponent.
        let games = f64::from(self.games) * seconds.len().saturating_sub(1) as f64;
        Ok(of_games(games, together))
    }

    /// The steps of an experiment up to its held-out losses. If the network exists and the store does not,
    /// the held-out losses are skipped: the store is not built again for them alone.
    fn trained_and_validated(&self, experiment: &Experiment) -> Result<Vec<Step>, ExperimentError> {
        let mut steps = experiment.training_and_validation(&self.runs)?;
        let is_trained = steps.iter().any(|step| step.name == TRAINING && step.output.is_there());
        if is_trained && !experiment.store().exists() {
            steps.retain(|step| step.is_data() || step.name == TRAINING || step.output.is_there());
        }
        Ok(steps)
    }

    /// The held-out losses of networks that were not trained here, the round-robin and the ladders.
    fn games(&self) -> Result<Vec<Step>, ExperimentError> {
        let validations = self.field.iter().filter_map(|one| one.validation(&self.out));
        let mut steps =
            validations.map(|step| step.checked(self.check_command)).collect::<Result<Vec<_>, _>>()?;
        if self.field.len() > 1 {
            let mut words = vec!["match".to_string()];
            words.extend(self.field.iter().map(|one| one.player.text.clone()));
            words.extend(["--format", "round-robin", "--games"].map(String::from));
            words.push(self.games.to_string());
            steps.push(self.folder_step(ROUND_ROBIN, words)?);
        }
        for one in self.field.iter().filter(|_| self.ladder > 0) {
            let words = ["ladder", &one.player.text, "--games", &self.ladder.to_string()].map(String::from);
            steps.push(self.folder_step(&ladder_of(&one.player), words.to_vec())?);
        }
        Ok(steps)
    }

    fn folder_step(&self, name: &str, mut arguments: Vec<String>) -> Result<Step, ExperimentError> {
        let folder = self.out.join(name);
        arguments.extend(["--out".into(), folder.display().to_string()]);
        let output =
            Output::Folder { begun: folder.join(WorkFolder::SETUP), result: folder.join(files::run::RESULT) };
        Step::new(name, arguments, output).checked(self.check_command)
    }

    fn report(&self, games: &[Step]) -> Result<Step, ExperimentError> {
        let mut words = vec!["report".to_string(), self.out.join(files::run::RESULT).display().to_string()];
        let results = games.iter().map(|step| step.output.result().display().to_string());
        words.extend(results);
        let out = self.out.join("report");
        words.extend(["--title", "Experiments compared", "--out"].map(String::from));
        words.push(out.display().to_string());
        let output = Output::Summary(out.join(files::run::REPORT));
        Step::new("report", words, output).checked(self.check_command)
    }

    /// The round-robin; `None` for two players: they play a match, which rates neither of them individually.
    fn tournament(&self) -> Result<Option<TournamentReport>, ExperimentError> {
        let file = self.out.join(ROUND_ROBIN).join(files::run::RESULT);
        let found: Option<serde_json::Value> = read(&file)?;
        let tournament = found.filter(|value| value["kind"] == TournamentReport::KIND);
        tournament.map(serde_json::from_value).transpose().map_err(ExperimentError::at(file.display()))
    }

    /// The report's entry for one player.
    fn compared(&self, one: &Compared, stop: &StopSignal) -> Result<ComparedExperiment, ExperimentError> {
        let ladder: Option<LadderReport> =
            read(&self.out.join(ladder_of(&one.player)).join(files::run::RESULT))?;
        let round_robin = self.tournament()?;
        let line = round_robin
            .and_then(|report| report.table.into_iter().find(|line| line.player == one.player.text));
        let mut found = ComparedExperiment {
            name: one.player.name.clone(),
            player: one.player.text.clone(),
            nodes_per_second: speed(&one.player, stop)?,
            ladder: ladder.and_then(|report| report.rating),
            round_robin: line.map(|line| Rating {
                elo: line.elo,
                lower: line.lower,
                upper: line.upper,
                games: line.games.games(),
            }),
            ..ComparedExperiment::default()
        };
        match &one.experiment {
            Some(experiment) => origins::add_run(experiment, &self.runs, &mut found)?,
            None => origins::add_weights(&one.player, &one.validation_file(&self.out), &mut found)?,
        }
        Ok(found)
    }
}

impl Compared {
    /// The system whose published network it is, if it is one.
    fn system(&self) -> Option<&'static SystemNetwork> {
        let is_foreign = self.experiment.is_none();
        SystemNetwork::of_player(&self.player.text).filter(|_| is_foreign)
    }

    /// The command that measures the network of a system on the held-out positions of the system's recipe; `None` if its store or
    /// recipe is not here.
    fn validation(&self, out: &Path) -> Option<Step> {
        let system = self.system()?;
        let recipe = Path::new("recipes").join(system.network.name);
        let store = origins::store_of(system).filter(|store| store.exists() && recipe.exists())?;
        let arguments = origins::validation(system, self.player.net()?, &text(&store), &text(&recipe))?;
        let name = format!("held-out of {}", system.network.name);
        Some(Step::new(&name, arguments, Output::Printed(self.validation_file(out))))
    }

    fn validation_file(&self, out: &Path) -> PathBuf {
        out.join(format!("held-out-{}", self.player.name)).join(files::run::RESULT)
    }
}

/// Reads the result of an earlier comparison: `result.json`, or its folder.
///
/// # Errors
/// [`ExperimentError`] for a file that is missing, or is another kind of result.
pub fn read_comparison(path: &Path) -> Result<Comparison, ExperimentError> {
    let file = files::run::in_folder(path, files::run::RESULT);
    let found: serde_json::Value = read(&file)?.ok_or_else(|| {
        ExperimentError::Unexpected(format!("{}: expected the result of a comparison", file.display()))
    })?;
    let kind = &found["kind"];
    if kind != Comparison::KIND {
        let expected = format!("{}: found {kind}, expected {:?}", file.display(), Comparison::KIND);
        return Err(ExperimentError::Unexpected(expected));
    }
    serde_json::from_value(found).map_err(ExperimentError::at(file.display()))
}

/// Time of `games` games, one after another, if the moves of both players together take `seconds`.
fn of_games(games: f64, seconds: f64) -> Estimate {
    let basis = format!("{MOVES_OF_A_GAME} moves a game, of {} on average", DurationText(seconds));
    Estimate::on_cores(games * MOVES_OF_A_GAME * seconds, 1.0, &basis)
}

/// The name and folder of a player's ladder.
fn ladder_of(player: &PlayerSpecification) -> String {
    let name = player.name.replace(|letter: char| !is_file_letter(letter), "-");
    format!("ladder-{name}")
}

/// Nodes per second in the first plies of a game against itself, within the player's own limits; `None` for a player that does not
/// count nodes, or has a clock.
fn speed(player: &PlayerSpecification, stop: &StopSignal) -> Result<Option<f64>, ExperimentError> {
    if player.pace.clock.is_some() {
        return Ok(None);
    }
    let Watched { nodes, seconds, .. } = watch(player, SPEED_PLIES, f64::INFINITY, stop)?;
    Ok((nodes > 0).then(|| nodes as f64 / seconds))
}
