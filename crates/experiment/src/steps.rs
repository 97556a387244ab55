//! The commands of an experiment.

use std::path::{Path, PathBuf};

use files::WorkFolder;

use crate::{
    ExperimentError, Learning, Sections,
    estimate::{EstimateStep, depends_on_positions, held_out, ladder_games, match_games, short, training},
    experiment::{CheckCommand, EvaluationSection, Experiment},
    step::{Output, Step, TRAINING, text},
};

/// A command whose results a report shows.
struct Measuring {
    /// The words it begins with.
    words: &'static [&'static str],
    /// True if it fills its own folder (`--out`).
    fills_folder: bool,
    estimate: EstimateStep,
}

const MEASURING: [Measuring; 5] = [
    Measuring { words: &["match"], fills_folder: true, estimate: match_games },
    Measuring { words: &["ladder"], fills_folder: true, estimate: ladder_games },
    Measuring { words: &["net", "validate"], fills_folder: false, estimate: held_out },
    Measuring { words: &["suite"], fills_folder: false, estimate: depends_on_positions },
    Measuring { words: &["metrics"], fills_folder: false, estimate: depends_on_positions },
];

/// The folder of measurements in the folder of a run.
const EVALUATION: &str = "evaluation";

impl Measuring {
    /// The row of a command; any command of the program may be a measurement, even one without a row.
    fn of(command: &str) -> Option<&'static Self> {
        let words: Vec<&str> = command.split_whitespace().collect();
        MEASURING.iter().find(|row| words.starts_with(row.words))
    }
}

/// The file with the result of an evaluation or of the training, in the folder of a run.
pub(crate) fn result_of_step(folder: &Path, step: &str, learning: &Learning) -> PathBuf {
    if step == TRAINING {
        folder.join(learning.result_file())
    } else {
        folder.join(EVALUATION).join(step).join(files::run::RESULT)
    }
}

/// The words of a measurement's command, with the names in braces replaced.
pub(crate) fn words_of(command: &str, names: &[(&str, &str)]) -> Vec<String> {
    let replaced = |word: &str| {
        names.iter().fold(word.to_owned(), |word, (name, text)| word.replace(&format!("{{{name}}}"), text))
    };
    command.split_whitespace().map(replaced).collect()
}

impl Experiment {
    /// All commands, in order, each checked by its own declarations.
    ///
    /// # Errors
    /// [`ExperimentError::At`] for the first that is not valid.
    pub fn steps(&self, runs: &Path) -> Result<Vec<Step>, ExperimentError> {
        let mut steps = self.training(runs)?;
        for measurement in &self.sections.evaluation {
            steps.push(self.measurement(measurement, runs)?);
        }
        steps.push(self.report(runs)?);
        Ok(steps)
    }

    /// The commands up to the trained network, and those that measure its predictions on held-out positions.
    ///
    /// # Errors
    /// [`ExperimentError::At`] for the first that is not valid.
    pub(crate) fn training_and_validation(&self, runs: &Path) -> Result<Vec<Step>, ExperimentError> {
        let mut steps = self.training(runs)?;
        for measurement in self.sections.validations() {
            steps.push(self.measurement(measurement, runs)?);
        }
        Ok(steps)
    }

    /// The commands up to the trained network.
    ///
    /// # Errors
    /// [`ExperimentError::At`] for the first that is not valid.
    pub fn training(&self, runs: &Path) -> Result<Vec<Step>, ExperimentError> {
        let data = self.data()?.map(|section| section.steps()).transpose()?.unwrap_or_default();
        let folder = self.folder(runs);
        let mut arguments = ["train", &text(&self.file), "--name", &self.name, "--runs", &text(runs)]
            .map(String::from)
            .to_vec();
        if self.store() != self.learning.store() {
            arguments.extend(["--data".into(), text(self.store())]);
        }
        if let Some(scale) = self.scale {
            arguments.extend(["--scale".into(), scale.to_string()]);
        }
        let output = Output::Folder {
            begun: folder.join(files::run::CHECKPOINTS),
            result: folder.join(self.learning.result_file()),
        };
        let settings = self.learning.to_toml()?;
        let inputs = std::iter::once(self.store().to_path_buf()).chain(self.learning.network()).collect();
        let training =
            Step { settings, inputs, estimate: training, ..Step::new(TRAINING, arguments, output) };
        data.into_iter().chain([training]).map(|step| step.checked(self.check_command)).collect()
    }

    fn measurement(&self, measurement: &EvaluationSection, runs: &Path) -> Result<Step, ExperimentError> {
        let folder = self.folder(runs).join(EVALUATION).join(&measurement.name);
        let (player, network) = (self.player(runs)?.text, text(&self.trained(runs)));
        let (store, recipe) = (text(self.store()), text(&self.file));
        let names = [
            ("player", player.as_str()),
            ("network", network.as_str()),
            ("store", store.as_str()),
            ("recipe", recipe.as_str()),
        ];
        let mut arguments = words_of(&measurement.command, &names);
        if arguments.is_empty() {
            return Err(ExperimentError::Unexpected(format!("{}: the command is empty", measurement.name)));
        }
        let row = Measuring::of(&measurement.command);
        let output = if row.is_some_and(|row| row.fills_folder) {
            arguments.extend(["--out".into(), text(&folder)]);
            Output::Folder { begun: folder.join(WorkFolder::SETUP), result: folder.join(files::run::RESULT) }
        } else {
            arguments.push("--json".into());
            Output::Printed(folder.join(files::run::RESULT))
        };
        let step = Step::new(&format!("[[evaluation]] {}", measurement.name), arguments, output);
        Step { estimate: row.map_or(step.estimate, |row| row.estimate), ..step }.checked(self.check_command)
    }

    fn report(&self, runs: &Path) -> Result<Step, ExperimentError> {
        let folder = self.folder(runs);
        let mut arguments = vec!["report".into(), text(&folder)];
        for EvaluationSection { name, command } in &self.sections.evaluation {
            if Measuring::of(command).is_some() {
                arguments.push(text(&folder.join(EVALUATION).join(name)));
            }
        }
        let out = folder.join("report");
        arguments.extend(["--title".into(), self.title(), "--out".into(), text(&out)]);
        let step = Step::new("report", arguments, Output::Summary(out.join(files::run::REPORT)));
        Step { estimate: short, ..step }.checked(self.check_command)
    }
}

impl Sections {
    /// The evaluations that measure the network's predictions on held-out positions.
    pub(crate) fn validations(&self) -> impl Iterator<Item = &EvaluationSection> {
        self.evaluation.iter().filter(|one| one.command.trim_start().starts_with("net validate "))
    }
}

impl Step {
    /// The step, if its arguments are a command of the program.
    pub(crate) fn checked(self, check_command: CheckCommand) -> Result<Self, ExperimentError> {
        let place = format!("{}: tabiya {}", self.name, self.arguments.join(" "));
        check_command(&self.arguments).map_err(ExperimentError::at(place))?;
        Ok(self)
    }
}
