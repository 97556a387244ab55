//! Runs the commands of experiments, each in its own process, and continues where an earlier run ended.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use chess::StopSignal;
use files::{FolderLock, Inputs, KnownContent, OutputError, OutputFile, if_there, path_text, read_text};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    ExperimentError, Output, Step,
    step::{DATA, TRAINING, command_line, needs_data},
};

/// The finished commands by name, in the folder of their results: a result of other settings is never
/// mistaken for the current one.
const FINISHED: &str = "steps.json";

/// Time for which a step waits until another experiment has written into the record of a store that they share: milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Interval at which the command is polled: its work takes seconds at least.
const LOOK: Duration = Duration::from_millis(20);

/// Runs the steps of an experiment in order and records the finished ones, so the next run skips them.
pub struct Runner {
    record: PathBuf,
    /// That of the record, because the commands lock the folder themselves.
    _lock: FolderLock,
    stop: StopSignal,
    say: fn(&str),
}

/// Record of a finished step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Finished {
    arguments: Vec<String>,
    settings: String,
    /// Content hashes of its inputs, by path; `None` in records of older versions.
    #[serde(default)]
    inputs: Option<BTreeMap<String, KnownContent>>,
}

/// Ending of a run of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every step has its result.
    Finished,
    /// The command of a step failed, and printed why.
    Failed,
    /// Ctrl-C or SIGTERM ended it between steps or within one.
    Interrupted,
}

impl Runner {
    /// A runner that keeps its record in `folder`. Signalling `stop` also ends the running command; `say` gets a line for each
    /// step that begins or is skipped.
    ///
    /// # Errors
    /// [`ExperimentError`] for a folder that cannot be made, in which another process runs steps, and a record that cannot be read.
    pub fn open(folder: &Path, stop: StopSignal, say: fn(&str)) -> Result<Self, ExperimentError> {
        fs::create_dir_all(folder).map_err(OutputError::io("make the folder", folder))?;
        let record = folder.join(FINISHED);
        let lock = FolderLock::take(&record)?;
        // An unreadable record is found before hours of training, not after them.
        read_record(&record)?;
        Ok(Self { record, _lock: lock, stop, say })
    }

    /// Runs the steps that have no result yet, and the summaries of results that changed.
    ///
    /// # Errors
    /// [`ExperimentError`] for a step that left no result, or whose result was made by another command.
    pub fn run(&mut self, steps: &[Step]) -> Result<Ending, ExperimentError> {
        // Also refuses results of other commands before anything is begun.
        let needs_data = needs_data(steps, |step| self.is_done(step))?;
        let (mut changed, mut is_other_network) = (false, false);
        for step in steps {
            if step.is_data() && !needs_data && !step.output.is_there() {
                (self.say)(&format!("{}: not needed again", step.name));
                continue;
            }
            // Only summaries: other results of an older network are an error below, because making them again may take
            // hours.
            let is_stale = changed && matches!(step.output, Output::Summary(_));
            if self.is_done(step)? && !is_stale {
                if is_other_network {
                    let (name, result) = (&step.name, step.output.result().display());
                    let before = format!("{name}: {result} was made before {TRAINING}; remove it");
                    return Err(ExperimentError::Unexpected(before));
                }
                (self.say)(&format!("{}: done", step.name));
                continue;
            }
            // A store that was removed and is rebuilt by the same command counts as the training's own.
            let is_remade = step.is_data() && self.is_known(step)?;
            let ending = self.renew(step)?;
            if ending != Ending::Finished {
                return Ok(ending);
            }
            changed = true;
            is_other_network |= [DATA, TRAINING].contains(&step.name.as_str()) && !is_remade;
        }
        Ok(Ending::Finished)
    }

    /// Runs a step, whether or not it has a result.
    ///
    /// # Errors
    /// [`ExperimentError`] for a step that cannot be started or left no result.
    pub fn renew(&mut self, step: &Step) -> Result<Ending, ExperimentError> {
        let inputs = Some(inputs(step, &BTreeMap::new())?);
        let ending = if self.stop.is_stopped() { Ending::Interrupted } else { self.execute(step)? };
        if ending != Ending::Finished {
            return Ok(ending);
        }
        let done = Finished { arguments: step.arguments.clone(), settings: step.settings.clone(), inputs };
        let file = self.record_of(step);
        // Locked and read again: several experiments share the record of a store.
        let shared = step.record.as_deref();
        let _lock = shared.map(|record| FolderLock::wait(record, PATIENCE)).transpose()?;
        let mut finished = read_record(file)?;
        finished.insert(step.name.clone(), done);
        let record = serde_json::to_string_pretty(&finished).map_err(ExperimentError::at(file.display()))?;
        OutputFile::open(file)?.finish(&record)?;
        Ok(Ending::Finished)
    }

    /// True if this command is recorded for the step, whether or not its result still exists.
    fn is_known(&self, step: &Step) -> Result<bool, ExperimentError> {
        let known = read_record(self.record_of(step))?.remove(&step.name);
        Ok(known.is_some_and(|known| known.arguments == step.arguments && known.settings == step.settings))
    }

    /// The file that records how a step was done.
    fn record_of<'a>(&'a self, step: &'a Step) -> &'a Path {
        step.record.as_deref().unwrap_or(&self.record)
    }

    /// True if a step has its result, made by the same command. Existing data are accepted as they are: the manifest of a store
    /// records how it was made.
    ///
    /// The check is strict because the mistake is silent and dear: an edited recipe that finds the network of the old one would
    /// report its results under the new name, after hours of games. Therefore a result whose record names other
    /// arguments, settings or contents of inputs is an error and not a reason to begin again: nobody wants hours of work replaced
    /// because a number in a recipe was tried out. One without a record is made again. The exceptions are summaries, which cost nothing
    /// to repeat, and data, which other experiments share.
    fn is_done(&self, step: &Step) -> Result<bool, ExperimentError> {
        // Before the record is compared: the settings of material no longer matter once its product exists.
        if step.output.is_used_up() {
            return Ok(true);
        }
        let result = step.output.result();
        let known = read_record(self.record_of(step))?.remove(&step.name);
        let other = known
            .as_ref()
            .filter(|known| known.arguments != step.arguments || known.settings != step.settings);
        if matches!(step.output, Output::Summary(_)) {
            return Ok(result.exists() && known.is_some() && other.is_none());
        }
        if let Some(other) = other.filter(|_| result.exists()) {
            let settings = if other.arguments == step.arguments { " with other settings" } else { "" };
            return Err(ExperimentError::Unexpected(format!(
                "{}: {} was made by `tabiya {}`{settings}, expected `tabiya {}`; remove it, name the data that it was made \
                 from with --data, or give the experiment another name",
                step.name,
                result.display(),
                other.arguments.join(" "),
                step.arguments.join(" ")
            )));
        }
        if let Some(known) = known.as_ref().filter(|_| result.exists()) {
            self.expect_same_inputs(step, known)?;
        }
        let is_foreign = step.record.is_some() && known.is_none() && result.exists();
        if is_foreign {
            let taken = format!(
                "{}: {} already exists, made by other commands, and is used as it is",
                step.name,
                result.display()
            );
            (self.say)(&taken);
        }
        Ok(result.exists() && (known.is_some() || is_foreign))
    }

    /// Refuses a result of other inputs. Deleted inputs are ignored: they are no longer needed.
    fn expect_same_inputs(&self, step: &Step, known: &Finished) -> Result<(), ExperimentError> {
        let result = step.output.result();
        let Some(before) = &known.inputs else {
            let unknown = format!(
                "{}: {} was made by an older version, which did not record what it was made from, and is used as it is",
                step.name,
                result.display()
            );
            (self.say)(&unknown);
            return Ok(());
        };
        let now = inputs(step, before)?;
        let (mut known, mut found) = (Inputs::default(), Inputs::default());
        for (path, before) in before {
            if let Some(now) = now.get(path) {
                let name = format!("input {path}");
                known = known.with(&name, vec![("hash".into(), before.hash.clone())]);
                found = found.with(name, vec![("hash".into(), now.hash.clone())]);
            }
        }
        let compared = found.expect_same(&known, result);
        compared.map_err(ExperimentError::at(format!("{} (removing the result makes it again)", step.name)))
    }

    fn execute(&self, step: &Step) -> Result<Ending, ExperimentError> {
        let mut arguments = step.arguments.clone();
        if step.output.is_begun() {
            arguments.push("--resume".into());
        }
        (self.say)(&format!("{}: tabiya {}", step.name, command_line(&arguments)));
        let program =
            std::env::current_exe().map_err(ExperimentError::at("cannot find this program's file"))?;
        let mut command = Command::new(program);
        // No input: a command that prompts would wait for ever.
        command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        if matches!(step.output, Output::Printed(_)) {
            command.stdout(Stdio::piped());
        }
        let unstarted = format!("{}: cannot start it", step.name);
        let child = command.spawn().map_err(ExperimentError::at(unstarted))?;
        let (status, printed) = finish(child, &self.stop).map_err(ExperimentError::at(&step.name))?;
        // Regardless of the status: a stopped command may succeed or fail.
        if self.stop.is_stopped() {
            return Ok(Ending::Interrupted);
        }
        if !status.success() {
            (self.say)(&format!("stopped at {}: `tabiya {}`: {status}", step.name, command_line(&arguments)));
            return Ok(Ending::Failed);
        }
        if let Output::Printed(file) = &step.output {
            let place = format!("{}: its output", step.name);
            // Written after the command has succeeded, so an existing file is complete.
            let text = String::from_utf8(printed).map_err(ExperimentError::at(place))?;
            let folder = file.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(OutputError::io("make the folder", folder))?;
            OutputFile::open(file)?.finish(&text)?;
        }
        let result = step.output.result();
        if !result.exists() {
            let missing = format!("{}: expected the result {}", step.name, result.display());
            return Err(ExperimentError::Unexpected(missing));
        }
        Ok(Ending::Finished)
    }
}

/// Waits for the command, and returns its status and, if its output is piped, the text that it printed. When `stop` is signalled,
/// the command gets SIGTERM: the terminal passes on Ctrl-C, but a scheduler's SIGTERM reaches only this process.
///
/// # Errors
/// The output cannot be read, or the command cannot be waited for.
fn finish(mut child: Child, stop: &StopSignal) -> io::Result<(ExitStatus, Vec<u8>)> {
    let output = child.stdout.take();
    thread::scope(|scope| {
        // On its own thread: a pipe that is not emptied blocks the command when it is full.
        let reader = scope.spawn(|| {
            let mut printed = Vec::new();
            if let Some(mut output) = output {
                output.read_to_end(&mut printed)?;
            }
            Ok::<_, io::Error>(printed)
        });
        let mut is_signalled = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if stop.is_stopped() && !is_signalled {
                files::system::end(&child)?;
                is_signalled = true;
            }
            thread::sleep(LOOK);
        };
        let printed =
            reader.join().map_err(|_| io::Error::other("the thread that reads its output failed"))?;
        Ok((status, printed?))
    })
}

/// Content hashes of a step's inputs, by path; files unchanged since `before` are not read again.
fn inputs(
    step: &Step,
    before: &BTreeMap<String, KnownContent>,
) -> Result<BTreeMap<String, KnownContent>, ExperimentError> {
    let mut inputs = BTreeMap::new();
    for path in step.read() {
        let name = path_text(&path);
        if let Some(content) = KnownContent::of(&path, before.get(&name))? {
            inputs.insert(name, content);
        }
    }
    Ok(inputs)
}

/// Reads the records of finished steps by their names; empty if there is no file.
fn read_record(file: &Path) -> Result<BTreeMap<String, Finished>, ExperimentError> {
    Ok(read(file)?.unwrap_or_default())
}

/// Reads a JSON file; `None` if it does not exist.
pub(crate) fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, ExperimentError> {
    let text = if_there(read_text(file)).map_err(OutputError::io("read", file))?;
    text.map(|text| serde_json::from_str(&text).map_err(ExperimentError::at(file.display()))).transpose()
}

impl Output {
    /// Path that exists once the command is done.
    pub fn result(&self) -> &Path {
        match self {
            Self::Whole(result)
            | Self::Folder { result, .. }
            | Self::Material { result, .. }
            | Self::Printed(result)
            | Self::Summary(result) => result,
        }
    }
    /// True if nothing is left to do.
    pub(crate) fn is_there(&self) -> bool {
        self.result().exists() || self.is_used_up()
    }

    /// True if it is the material of something that exists.
    fn is_used_up(&self) -> bool {
        matches!(self, Self::Material { product, .. } if product.exists())
    }

    /// True if there is something to continue.
    fn is_begun(&self) -> bool {
        match self {
            Self::Folder { begun, .. } | Self::Material { begun: Some(begun), .. } => begun.exists(),
            _ => false,
        }
    }
}
