//! Runs the commands of experiments, each in a process of its own, and goes on where an earlier run ended.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};
use chess::StopSignal;
use serde::{Deserialize, Serialize};

use super::{
    Output, Step, child,
    steps::{DATA, TRAINING},
};
use output::OutputFile;

/// The commands that were finished, by name, beside their results: a result that was made otherwise is never taken for this one.
const FINISHED: &str = "steps.json";

/// How a step was done.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Finished {
    arguments: Vec<String>,
    settings: String,
}

/// Runs steps.
pub(crate) struct Runner {
    record: PathBuf,
    finished: BTreeMap<String, Finished>,
    stop: StopSignal,
}

/// Whether all was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every step has its result.
    Finished,
    /// Ctrl-C or SIGTERM.
    Interrupted,
}

impl Runner {
    /// A runner that keeps its record in `folder`. What signals `stop` ends the command that runs as well.
    pub(crate) fn open(folder: &Path, stop: StopSignal) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let record = folder.join(FINISHED);
        let finished = match fs::read_to_string(&record) {
            Ok(text) => serde_json::from_str(&text).with_context(|| record.display().to_string())?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", record.display())),
        };
        Ok(Self { record, finished, stop })
    }

    /// Runs what has no result yet, and summaries of what changed.
    pub(crate) fn run(&mut self, steps: &[Step]) -> Result<Ending> {
        let (mut changed, mut is_other_network) = (false, false);
        for step in steps {
            let is_stale = changed && matches!(step.output, Output::Summary(_));
            if self.is_done(step)? && !is_stale {
                ensure!(
                    !is_other_network,
                    "{}: {} was made before {TRAINING}; remove it",
                    step.name,
                    step.output.result().display()
                );
                say(&format!("{}: done", step.name))?;
                continue;
            }
            if self.renew(step)? == Ending::Interrupted {
                return Ok(Ending::Interrupted);
            }
            changed = true;
            is_other_network |= [DATA, TRAINING].contains(&step.name.as_str());
        }
        Ok(Ending::Finished)
    }

    /// Runs a step, whether or not it has a result.
    pub(crate) fn renew(&mut self, step: &Step) -> Result<Ending> {
        if self.stop.is_stopped() || self.execute(step)? == Ending::Interrupted {
            return Ok(Ending::Interrupted);
        }
        let done = Finished { arguments: step.arguments.clone(), settings: step.settings.clone() };
        self.finished.insert(step.name.clone(), done);
        OutputFile::open(&self.record)?.finish(&serde_json::to_string_pretty(&self.finished)?)?;
        Ok(Ending::Finished)
    }

    /// Whether a step has its result, made by the same command. A store that was there before is taken as it is: its manifest says
    /// what it is made of.
    fn is_done(&self, step: &Step) -> Result<bool> {
        let result = step.output.result();
        let known = self.finished.get(&step.name);
        let other =
            known.filter(|known| known.arguments != step.arguments || known.settings != step.settings);
        if matches!(step.output, Output::Summary(_)) {
            return Ok(result.exists() && known.is_some() && other.is_none());
        }
        if let Some(other) = other.filter(|_| result.exists()) {
            let settings = if other.arguments == step.arguments { " with other settings" } else { "" };
            bail!(
                "{}: {} was made by `tabiya {}`{settings}, expected `tabiya {}`; remove it, or give the experiment another name",
                step.name,
                result.display(),
                other.arguments.join(" "),
                step.arguments.join(" ")
            );
        }
        let foreign = matches!(step.output, Output::Whole(_)) && known.is_none() && result.is_dir();
        Ok(result.exists() && (known.is_some() || foreign))
    }

    fn execute(&self, step: &Step) -> Result<Ending> {
        let mut arguments = step.arguments.clone();
        if matches!(&step.output, Output::Folder { begun, .. } if begun.exists()) {
            arguments.push("--resume".into());
        }
        say(&format!("{}: tabiya {}", step.name, arguments.join(" ")))?;
        let program = std::env::current_exe().context("cannot find this program's file")?;
        let mut command = Command::new(program);
        command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        if matches!(step.output, Output::Printed(_)) {
            command.stdout(Stdio::piped());
        }
        let child = command.spawn().with_context(|| format!("{}: cannot start it", step.name))?;
        let (status, printed) = child::finish(child, &self.stop).with_context(|| step.name.clone())?;
        if self.stop.is_stopped() {
            return Ok(Ending::Interrupted);
        }
        ensure!(status.success(), "{}: `tabiya {}` failed ({status})", step.name, arguments.join(" "));
        if let Output::Printed(file) = &step.output {
            let text = String::from_utf8(printed).with_context(|| format!("{}: its output", step.name))?;
            let folder = file.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            OutputFile::open(file)?.finish(&text)?;
        }
        let result = step.output.result();
        ensure!(result.exists(), "{}: expected the result {}", step.name, result.display());
        Ok(Ending::Finished)
    }
}

impl Output {
    /// What exists when the command is done.
    pub(crate) fn result(&self) -> &Path {
        match self {
            Self::Whole(result)
            | Self::Folder { result, .. }
            | Self::Printed(result)
            | Self::Summary(result) => result,
        }
    }
}

fn say(line: &str) -> Result<()> {
    writeln!(std::io::stderr(), "{line}").context("cannot write to standard error")
}
