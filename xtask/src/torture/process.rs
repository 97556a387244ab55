//! A run of the program, whose end is awaited with patience.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// Longer than any work of a round takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);
/// Interval between two looks at a process.
const PAUSE: Duration = Duration::from_millis(1);
/// Time for the processes of a killed group to vanish; where nobody waits for them, their numbers stay.
const VANISHING: Duration = Duration::from_secs(2);

/// The program at work in a folder. Its output goes to two files that are not in that folder.
pub(crate) struct Process {
    child: Child,
    /// True if it starts others, which are killed with it.
    others: bool,
    status: Option<ExitStatus>,
    error: PathBuf,
    line: String,
}

impl Process {
    /// Starts the program in `folder`; what it says goes into files of `words`. With `others`, a kill also ends the processes
    /// that it starts.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        folder: &Path,
        words: &Path,
        others: bool,
    ) -> Result<Self> {
        let (output, error) = (words.join("stdout.txt"), words.join("stderr.txt"));
        let mut command = Command::new(program);
        if others {
            command.process_group(0);
        }
        let child = command
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(File::create(&output).context("cannot keep what it says")?)
            .stderr(File::create(&error).context("cannot keep what it says")?)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Self { child, others, status: None, error, line: arguments.join(" ") })
    }

    /// True if the process has ended. Does not wait.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        if self.status.is_none() {
            self.status = self.child.try_wait().context("cannot look at the process")?;
        }
        Ok(self.status.is_some())
    }

    /// Waits this long for its end.
    pub(crate) fn ends_within(&mut self, time: Duration) -> Result<bool> {
        let start = Instant::now();
        while !self.has_ended()? {
            if start.elapsed() >= time {
                return Ok(false);
            }
            sleep(PAUSE);
        }
        Ok(true)
    }

    /// True if its number is in this lock file.
    pub(crate) fn is_in(&self, lock: &Path) -> bool {
        read(lock) == self.child.id().to_string()
    }

    /// Waits until its number is in this lock file, or for its end.
    pub(crate) fn wait_for_lock(&mut self, lock: &Path) -> Result<()> {
        let start = Instant::now();
        while !self.is_in(lock) && !self.has_ended()? {
            ensure!(start.elapsed() < PATIENCE, "`{}` does not lock {}", self.line, lock.display());
            sleep(PAUSE);
        }
        Ok(())
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// If it does not end; it is then killed.
    pub(crate) fn must_end(&mut self) -> Result<()> {
        if self.ends_within(PATIENCE)? {
            return Ok(());
        }
        self.signal(Signal::KILL)?;
        let _ = self.ends_within(PATIENCE)?;
        bail!("`{}` does not end within {} s", self.line, PATIENCE.as_secs())
    }

    pub(crate) fn signal(&mut self, signal: Signal) -> Result<()> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).context("no process number")?;
        // It has not been waited for yet, so the number is still its own.
        if !(self.others && signal == Signal::KILL) {
            return kill_process(pid, signal).context("cannot send a signal");
        }
        // This signal leaves a command no time to end the processes that it started. They would live on, hold their locks and write for
        // a moment, and the next start would be refused because of them: a finding about the test and not about the program.
        kill_process_group(pid, signal).context("cannot kill it and what it started")?;
        let start = Instant::now();
        self.ends_within(PATIENCE)?;
        while test_kill_process_group(pid).is_ok() && start.elapsed() < VANISHING {
            sleep(PAUSE);
        }
        Ok(())
    }

    /// True if the process has ended with exit code 0.
    pub(crate) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Text that the process wrote to standard error.
    pub(crate) fn error(&self) -> String {
        read(&self.error)
    }

    pub(crate) fn must_have_succeeded(&self) -> Result<()> {
        ensure!(self.succeeded(), "`{}` {}", self.line, self.ending());
        Ok(())
    }

    /// Checks that it failed as it should: with 1 and a message with one of these texts.
    pub(crate) fn must_have_failed_with(&self, texts: &[&str]) -> Result<()> {
        let error = self.error();
        let as_it_should = self.status.and_then(|status| status.code()) == Some(1)
            && texts.iter().any(|text| error.contains(text))
            && !error.contains("panicked");
        ensure!(as_it_should, "`{}` {}; expected 1 and a message with {texts:?}", self.line, self.ending());
        Ok(())
    }

    /// Status and last words of the process, in one line.
    fn ending(&self) -> String {
        let status = self.status.map_or_else(|| "running".into(), |status| status.to_string());
        let error = self.error();
        let last: Vec<&str> = error.lines().rev().take(3).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        format!("ended with {status}: {}", last.join(" / "))
    }
}

impl Drop for Process {
    /// No round leaves a process behind.
    fn drop(&mut self) {
        if self.status.is_none() {
            let _ = self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read(path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_well_what_fails_and_what_is_killed_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let start = |script: &str| {
            let arguments = ["-c".to_owned(), script.to_owned()];
            Process::start(Path::new("/bin/sh"), &arguments, folder.path(), folder.path(), true).unwrap()
        };
        let mut good = start("echo well");
        good.must_end().unwrap();
        good.must_have_succeeded().unwrap();
        assert!(good.succeeded() && good.error().is_empty());
        let mut bad = start("echo 'disk: No space left' >&2; exit 1");
        bad.must_end().unwrap();
        bad.must_have_failed_with(&["No space left"]).unwrap();
        assert!(bad.must_have_failed_with(&["Read-only"]).is_err() && bad.must_have_succeeded().is_err());
        let mut panicking = start("echo 'thread panicked: No space left' >&2; exit 1");
        panicking.must_end().unwrap();
        assert!(panicking.must_have_failed_with(&["No space left"]).is_err());
        let mut long = start("exec sleep 1000");
        assert!(!long.ends_within(Duration::from_millis(1)).unwrap());
        long.signal(Signal::KILL).unwrap();
        long.must_end().unwrap();
        assert!(!long.succeeded());
        // The shell does not wait for what it started, so that only a kill of both ends both.
        let mut both = start("sleep 1000 & echo $! > number; exec sleep 1000");
        let number = || read(&folder.path().join("number")).trim().parse().ok().and_then(Pid::from_raw);
        while number().is_none() {
            sleep(PAUSE);
        }
        both.signal(Signal::KILL).unwrap();
        both.must_end().unwrap();
        let status = read(Path::new(&format!("/proc/{}/stat", number().unwrap().as_raw_nonzero())));
        assert!(status.is_empty() || status.contains(") Z "), "{status}");
    }
}
