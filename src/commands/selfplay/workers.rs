//! The worker processes that a run starts on its own machine.

use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// Processes that play and end when this one does: they read from a pipe that then closes.
pub(super) struct Workers(Vec<Child>);

impl Workers {
    pub(super) fn start(count: u16, store: &str, threads: usize) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut workers = Self(Vec::new());
        for number in 1..=count {
            let child = Command::new(&program)
                .args(["selfplay", "--attached", "--join", store, "--name", &format!("local-{number}")])
                .args(["--threads", &threads.to_string()])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .with_context(|| format!("cannot start worker {number}"))?;
            workers.0.push(child);
        }
        Ok(workers)
    }

    /// Fails if none of them plays any more. If only some have ended, their reasons are on stderr and games continue.
    pub(super) fn check(&mut self) -> Result<()> {
        for child in &mut self.0 {
            if child.try_wait().context("cannot read the state of a worker")?.is_none() {
                return Ok(());
            }
        }
        bail!("all workers of this run have ended; their errors are above")
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            drop(child.stdin.take());
        }
        for child in &mut self.0 {
            // The exit code is ignored: its last line reported the reason.
            let _ = child.wait();
        }
    }
}
