//! The commands that an experiment consists of.

use std::path::{Path, PathBuf};

use crate::{CheckCommand, Experiment, ExperimentError, Measurement};

/// Output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// In this folder, which appears when it is complete.
    Whole(PathBuf),
    /// In a folder that the command fills while it runs and can continue (`--resume`) once `begun` exists; `result` comes last.
    Folder {
        /// Exists as soon as there is something to continue.
        begun: PathBuf,
        /// Exists in the end.
        result: PathBuf,
    },
    /// A file or folder that a later command turns into `product`: not needed once that exists.
    Material {
        /// As of [`Output::Folder`]; `None` for a command that starts over.
        begun: Option<PathBuf>,
        /// Exists in the end.
        result: PathBuf,
        /// Path of what a later command makes of it.
        product: PathBuf,
    },
    /// On its standard output, to be kept in this file.
    Printed(PathBuf),
    /// In this file, made from the results before it, and made again when one of them changes.
    Summary(PathBuf),
}

/// One command of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the step.
    pub name: String,
    /// The arguments of this program.
    pub arguments: Vec<String>,
    /// Place of the result.
    pub output: Output,
    /// Further settings that decide the result; empty if the arguments say everything.
    pub settings: String,
    /// The file that says how it was done, where several experiments share the result; by default one among the experiment's results.
    pub record: Option<PathBuf>,
}

impl Step {
    /// A step whose arguments say everything.
    pub(crate) fn new(name: &str, arguments: Vec<String>, output: Output) -> Self {
        Self { name: name.into(), arguments, output, settings: String::new(), record: None }
    }
}

/// The step that builds the store.
pub(crate) const DATA: &str = "[data]";

/// The step that trains the network.
pub(crate) const TRAINING: &str = "training";

/// Commands that fill a folder of their own (`--out`).
const WITH_FOLDER: [&str; 2] = ["match", "ladder"];

/// Commands whose results a report shows.
const REPORTED: [&str; 4] = ["match", "ladder", "suite", "metrics"];

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
        let output = Output::Folder {
            begun: folder.join("checkpoints"),
            result: folder.join(self.learning.result_file()),
        };
        let training = Step { settings: self.learning.to_toml()?, ..Step::new(TRAINING, arguments, output) };
        data.into_iter().chain([training]).map(|step| self.checked(step)).collect()
    }

    fn measurement(&self, measurement: &Measurement, runs: &Path) -> Result<Step, ExperimentError> {
        let folder = self.folder(runs).join("evaluation").join(&measurement.name);
        let player = self.player(runs)?.text;
        let network = text(&self.trained(runs));
        let mut arguments: Vec<String> = Vec::new();
        for word in measurement.command.split_whitespace() {
            let word = word.replace("{player}", &player).replace("{network}", &network);
            arguments.push(word.replace("{store}", &text(self.store())));
        }
        let Some(command) = arguments.first() else {
            return Err(ExperimentError::Unexpected(format!("{}: the command is empty", measurement.name)));
        };
        let output = if WITH_FOLDER.contains(&command.as_str()) {
            arguments.extend(["--out".into(), text(&folder)]);
            Output::Folder { begun: folder.join("setup.json"), result: folder.join("result.json") }
        } else {
            arguments.push("--json".into());
            Output::Printed(folder.join("result.json"))
        };
        self.checked(Step::new(&format!("[[evaluation]] {}", measurement.name), arguments, output))
    }

    fn report(&self, runs: &Path) -> Result<Step, ExperimentError> {
        let folder = self.folder(runs);
        let mut arguments = vec!["report".into(), text(&folder)];
        for Measurement { name, command } in &self.sections.evaluation {
            if command.split_whitespace().next().is_some_and(|first| REPORTED.contains(&first)) {
                arguments.push(text(&folder.join("evaluation").join(name)));
            }
        }
        let out = folder.join("report");
        arguments.extend(["--title".into(), self.learning.title().into(), "--out".into(), text(&out)]);
        self.checked(Step::new("report", arguments, Output::Summary(out.join("report.json"))))
    }

    fn checked(&self, step: Step) -> Result<Step, ExperimentError> {
        checked(step, self.check_command)
    }
}

/// The step, where its arguments are a command of the program.
pub(crate) fn checked(step: Step, check_command: CheckCommand) -> Result<Step, ExperimentError> {
    let place = format!("{}: tabiya {}", step.name, step.arguments.join(" "));
    check_command(&step.arguments).map_err(ExperimentError::at(place))?;
    Ok(step)
}

/// A TOML value as it stands on a command line.
pub(crate) fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Quotes arguments for a shell: words with a space or another special character stand in single quotes.
pub(crate) fn command_line(arguments: &[String]) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+@%{}".contains(letter);
    let word = |word: &String| {
        if !word.is_empty() && word.chars().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    arguments.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_plan_can_be_pasted() {
        let line =
            |words: &[&str]| command_line(&words.iter().map(|word| (*word).into()).collect::<Vec<_>>());
        assert_eq!(line(&["match", "net=a.tabiya,nodes=5", "random"]), "match net=a.tabiya,nodes=5 random");
        assert_eq!(line(&["report", "a b", "it's", ""]), "report 'a b' 'it'\\''s' ''");
    }
}
