//! One command of an experiment, with the place of its result, and its form on a command line.

use std::path::{Path, PathBuf};

use crate::{
    data::is_store,
    estimate::{EstimateStep, depends_on_positions},
};

/// Output of a command, from which the runner decides whether it is done, can be resumed or starts over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// In this folder, which appears when it is complete.
    Whole(PathBuf),
    /// In a folder that the command fills while it runs and can continue (`--resume`) once `begun` exists; `result` comes last.
    Folder {
        /// Exists once there is something to continue.
        begun: PathBuf,
        /// Exists in the end.
        result: PathBuf,
    },
    /// A file or folder that a later command turns into `product`: not needed once that exists.
    Material {
        /// As in [`Output::Folder`]; `None` for a command that starts over.
        begun: Option<PathBuf>,
        /// Exists in the end.
        result: PathBuf,
        /// Path of the product that a later command builds from it.
        product: PathBuf,
    },
    /// On its standard output, to be kept in this file.
    Printed(PathBuf),
    /// In this file, computed from earlier results, and again when one of them changes.
    Summary(PathBuf),
}

/// One command of an experiment.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Step {
    pub name: String,
    /// The arguments of this program.
    pub arguments: Vec<String>,
    pub output: Output,
    /// Further settings that decide the result; empty if the arguments decide it.
    pub settings: String,
    /// The files, folders and stores that it reads; if there are none, the files and stores that its arguments name.
    pub inputs: Vec<PathBuf>,
    /// Words that name further files of which the result is made, if the step has inputs: engines, networks and books of the
    /// commands that make data. Which of them are files is known when the step begins, because an earlier one may write them.
    pub(crate) named: Vec<String>,
    /// The file that records how the result was made, if several experiments share it; by default a file
    /// among the experiment's results.
    pub record: Option<PathBuf>,
    /// Estimates its time.
    pub(crate) estimate: EstimateStep,
    /// Positions that an engine generates before this step, if the recipe determines their number.
    pub(crate) positions: Option<u64>,
}

impl Step {
    /// True if it makes the store or an input of it, which other experiments may share.
    pub(crate) fn is_data(&self) -> bool {
        self.record.is_some()
    }

    /// A step decided by its arguments alone, with an unknown time.
    pub(crate) fn new(name: &str, arguments: Vec<String>, output: Output) -> Self {
        Self {
            name: name.into(),
            arguments,
            output,
            settings: String::new(),
            inputs: Vec::new(),
            named: Vec::new(),
            record: None,
            estimate: depends_on_positions,
            positions: None,
        }
    }

    /// Its inputs, and the named files that exist now, without its own result.
    pub(crate) fn read(&self) -> Vec<PathBuf> {
        let words = if self.inputs.is_empty() { &self.arguments } else { &self.named };
        let parts = words.iter().flat_map(|word| word.split([',', '=', '+', ':']).chain([word.as_str()]));
        // Of folders only stores: others may be where the command writes.
        let named = parts.map(PathBuf::from).filter(|path| path.is_file() || is_store(path));
        let all = self.inputs.iter().cloned().chain(named);
        all.filter(|path| path != self.output.result()).collect()
    }
}

/// True if a step that reads the store is still to be done: the store of a finished training is not built
/// again. `is_done` returns whether a step is done.
///
/// # Errors
/// The errors of `is_done`.
pub(crate) fn needs_data<E>(steps: &[Step], is_done: impl Fn(&Step) -> Result<bool, E>) -> Result<bool, E> {
    let Some(store) = steps.iter().rfind(|step| step.is_data()).map(|step| text(step.output.result())) else {
        return Ok(true);
    };
    let mut needs_data = false;
    // Checks all steps although one is enough, so that a result of other settings is an error before any step
    // begins.
    for step in steps.iter().filter(|step| !step.is_data()) {
        let reads = step.name == TRAINING || step.arguments.contains(&store);
        needs_data |= !is_done(step)? && reads;
    }
    Ok(needs_data)
}

/// The step that builds the store.
pub(crate) const DATA: &str = "[data]";

/// The step that trains the network.
pub(crate) const TRAINING: &str = "training";

pub(crate) fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Quotes arguments for a shell: words with a space or another special character are put in single quotes.
pub(crate) fn command_line(arguments: &[String]) -> String {
    arguments.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    if !word.is_empty()
        && word.chars().all(|letter| letter.is_alphanumeric() || "-_./=,:+@%{}".contains(letter))
    {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
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
