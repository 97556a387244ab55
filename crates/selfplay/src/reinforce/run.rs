//! A run: plays, grades and learns in turn, and keeps a log of the grades.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use chess::StopSignal;
use figures::{Chart, Colour, Figure, Point, Series};
use files::{OutputError, OutputFile, if_there, read_text, remove_folder};
use network::{CpuOptions, Spec, Weights};
use serde_json::{Value, json};
use strength::{Contestant, statistics::Measurement};
use training::{EndReason, Recipe, Trainer, TrainingError, Unobserved};

use super::{
    ReinforceSettings, drawn_games,
    graded_samples::{Encodings, GradedSamples},
    grading::{self, GradedGame},
};
use crate::{error::RunError, recipe::check_keys};

/// The recipe of a run: the training of one iteration, and the settings for drawing games.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ReinforceRecipe {
    pub training: Recipe,
    /// The table `[reinforce]`.
    pub settings: ReinforceSettings,
}

impl ReinforceRecipe {
    /// Reads a TOML file, or the `recipe.toml` of a folder. A recipe without a network uses that of the start.
    ///
    /// # Errors
    /// [`RunError`] with the file and the part that is not valid.
    pub fn read(path: &Path, start: &Spec) -> Result<Self, RunError> {
        let path = player::recipe_file(path);
        let place = path.display().to_string();
        let text = files::recipe::read(&path).map_err(OutputError::io("read the recipe", &path))?;
        check_keys(&text).map_err(RunError::at(&place))?;
        let mut training: toml::Table = text.parse().map_err(RunError::at(&place))?;
        let settings = training.remove("reinforce");
        let settings = settings.ok_or_else(|| unexpected(&place, "found no table [reinforce]"))?;
        let section = format!("{place}: [reinforce]");
        let settings: ReinforceSettings = settings.try_into().map_err(RunError::at(section))?;
        settings.check().map_err(RunError::at(&place))?;
        if training.insert("data".into(), "drawn games".into()).is_some() {
            return Err(unexpected(&place, "found `data`, expected none: the moves are drawn"));
        }
        let training = Recipe::from_table(training, Some(start), &place).map_err(TrainingError::from)?;
        let smoothing = training.losses.label_smoothing;
        if smoothing != 0.0 {
            let found = format!("losses.label_smoothing = {smoothing}: expected 0: targets are signed");
            return Err(unexpected(&place, &found));
        }
        Ok(Self { training, settings })
    }

    /// The recipe with all its defaults.
    ///
    /// # Errors
    /// [`RunError`] if it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, RunError> {
        let training = self.training.to_toml().map_err(TrainingError::from)?;
        let mut table: toml::Table = training.parse().map_err(RunError::at("the recipe"))?;
        let settings = toml::Value::try_from(&self.settings).map_err(RunError::at("[reinforce]"))?;
        table.insert("reinforce".into(), settings);
        Ok(table.to_string())
    }
}

/// A run of REINFORCE: its settings and the network that it starts from.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ReinforceRun {
    pub folder: PathBuf,
    /// The training and the games.
    pub recipe: ReinforceRecipe,
    pub engine: Contestant,
    /// Number of engines that grade in parallel.
    pub engines: usize,
    /// The bytes of the network that the run begins with.
    pub start: Vec<u8>,
}

/// The grades of the moves that a network drew.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct NetworkGrade {
    /// The iteration that made the network; 0 is the start.
    pub network: u32,
    /// The mean grade as expected score, -1 to 1; 0 is the engine's choice. The samples are moves.
    pub mean: Measurement,
    pub games: usize,
}

impl NetworkGrade {
    /// The line of the log.
    pub fn line(&self) -> Value {
        let mean = &self.mean;
        json!({
            "kind": "step",
            "step": self.network,
            "reinforce": { "grade": mean.value, "grade_lower": mean.lower, "grade_upper": mean.upper, "moves": mean.samples },
        })
    }
}

impl fmt::Display for NetworkGrade {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { network, mean, games } = self;
        write!(
            formatter,
            "network {network}: mean grade {:.4} ({:.4} to {:.4}) of {} moves in {games} games",
            mean.value, mean.lower, mean.upper, mean.samples,
        )
    }
}

impl ReinforceRun {
    /// Default number of iterations of a run.
    pub const ITERATIONS: u32 = 20;
    /// Default of [`ReinforceRun::engines`].
    pub const ENGINES: u64 = 2;

    /// The network that an iteration makes; 0 is the start.
    pub fn network(&self, iteration: u32) -> PathBuf {
        self.folder.join(format!("{iteration:05}.tabiya"))
    }

    /// Plays, grades and learns; false if the signal came first. `graded` is called with the grades of the network that played.
    ///
    /// # Errors
    /// [`RunError`] for anything that prevents playing, grading, learning or writing.
    pub fn iterate(
        &self,
        iteration: u32,
        stop: &StopSignal,
        graded: &mut dyn FnMut(&NetworkGrade) -> std::io::Result<()>,
    ) -> Result<bool, RunError> {
        let before = if iteration == 1 {
            self.start.clone()
        } else {
            let path = self.network(iteration - 1);
            Weights::read_bytes(&path)?
        };
        let now = network::from_bytes(&before, CpuOptions::default())?;
        let start = network::from_bytes(&self.start, CpuOptions::default())?;
        let ReinforceRecipe { training, settings } = &self.recipe;
        let games = drawn_games::play(now.as_ref(), start.as_ref(), settings, iteration)?;
        // Games are sampled again in every iteration: the gradient of REINFORCE holds for moves drawn from the policy that learns, and after
        // a training they no longer are.
        let graded_games = grading::grade_games(&self.engine, &games, self.engines)?;
        let grade = grade(iteration - 1, &graded_games)?;
        graded(&grade).map_err(RunError::at("cannot report the grades"))?;
        self.log(&grade)?;
        let name = format!("{}, iteration {iteration}", training.title);
        let encodings =
            Encodings { input: training.network.input_encoding()?, moves: training.network.move_encoding()? };
        let advantages = settings.rewards.advantages(&games, &graded_games);
        let samples = GradedSamples::new(name, &games, &advantages, encodings, settings);
        let from = Weights::from_bytes(&before, &format!("network {}", iteration - 1))?;
        let folder = self.folder.join(format!("{iteration:05}"));
        // A training takes seconds, so an interrupted one is restarted.
        remove_folder(&folder).map_err(OutputError::io("remove", &folder))?;
        std::fs::create_dir_all(&folder).map_err(OutputError::io("make", &folder))?;
        let mut trainer = Trainer::start(training.clone(), &samples, &folder, Some(&from))?;
        let outcome = trainer.run(&mut Unobserved, stop)?;
        if outcome.ending == EndReason::Interrupted {
            return Ok(false);
        }
        let network = outcome
            .network
            .ok_or_else(|| RunError::Unexpected("the training ended without a network".into()))?;
        // The name of the network marks the iteration as done, so it appears last and at once.
        std::fs::rename(&network, self.network(iteration)).map_err(OutputError::io("move", &network))?;
        remove_folder(&folder).map_err(OutputError::io("remove", &folder))?;
        Ok(true)
    }

    /// Records the grades of a network, and draws those of all networks.
    fn log(&self, grade: &NetworkGrade) -> Result<(), RunError> {
        let path = self.folder.join(files::run::LOG);
        let known = if_there(read_text(&path)).map_err(OutputError::io("read", &path))?.unwrap_or_default();
        // An iteration that was interrupted after its grades already has its line.
        let kept = known.lines().take(grade.network as usize).map(|line| format!("{line}\n"));
        let log = format!("{}{}\n", kept.collect::<String>(), grade.line());
        OutputFile::open(&path)?.finish(&log)?;
        let chart = chart(&log).map_err(RunError::at(path.display()))?;
        let title = self.recipe.training.title.clone();
        let image = Figure { title, height: 260, charts: vec![chart] }.svg();
        let image = image.map_err(RunError::at("cannot draw the grades"))?;
        Ok(OutputFile::open(&self.folder.join(files::run::CURVES))?.finish(image)?)
    }
}

fn unexpected(place: &str, found: &str) -> RunError {
    RunError::Unexpected(format!("{place}: {found}"))
}

/// A number of a log line.
fn number(object: &Value, name: &str) -> Result<f64, String> {
    object[name].as_f64().ok_or_else(|| format!("found no {name}, expected a number"))
}

/// The mean grade of the moves that a network drew.
fn grade(network: u32, games: &[GradedGame]) -> Result<NetworkGrade, RunError> {
    let games: Vec<Vec<f64>> =
        games.iter().map(|game| game.grades.iter().copied().map(f64::from).collect()).collect();
    // Grouped by game, because the moves of one game are alike: as independent moves they would give too narrow an interval.
    let mean = Measurement::grouped_mean(&games, -1.0..=1.0);
    let mean = mean.ok_or_else(|| RunError::Unexpected("no move was drawn".into()))?;
    Ok(NetworkGrade { network, mean, games: games.len() })
}

/// The mean grades of a log.
fn chart(log: &str) -> Result<Chart, String> {
    let mut points = Vec::new();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let grades = &line["reinforce"];
        let interval = Some([number(grades, "grade_lower")?, number(grades, "grade_upper")?]);
        points.push(Point { x: number(&line, "step")?, y: number(grades, "grade")?, interval });
    }
    let series = vec![Series::new(Colour::Blue, points).dotted()];
    let title = "mean grade of the moves drawn, as expected score (bars: 95 %); 0 is the engine's choice";
    Ok(Chart { title: title.into(), series, ..Chart::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reinforce::Rewards;

    #[test]
    fn the_recipes_of_the_repository_are_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes/reinforce");
        let start = player::read_weights("cnn").unwrap().spec;
        let recipe = ReinforceRecipe::read(&folder, &start).unwrap();
        assert!(recipe.training.network == start && recipe.settings.games > 0);
        let folder = folder.with_file_name("aichess-reinforce");
        let settings = ReinforceRecipe::read(&folder, &start).unwrap().settings;
        assert_eq!(settings.rewards, Rewards::Aichess);
        assert_eq!([settings.advantage_scale, settings.entropy, settings.divergence], [1.0, 0.0, 0.0]);
    }
}
