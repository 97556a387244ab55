//! A cluster of processes on this machine.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use super::program::PROGRAM;

/// Time that a process has for an action that should be immediate: the machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// A process whose lines on standard error are read as they come. It is killed when dropped.
pub(crate) struct Process {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Process {
    pub(crate) fn start(folder: &Path, arguments: &[&str], environment: &[(&str, String)]) -> Self {
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .current_dir(folder)
            .envs(environment.iter().map(|(name, value)| (name, value)));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines, heard: Vec::new() }
    }

    /// The first line with these words that was not waited for before.
    pub(crate) fn wait_for(&mut self, words: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.heard.push(line.clone());
                    if line.contains(words) {
                        return line;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("expected {words:?} of the process, found {:?}", self.heard)
                }
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process like `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the process like `kill -TERM`, and waits for the end.
    pub(crate) fn terminate(&mut self) {
        let sent = Command::new("kill").arg(self.id().to_string()).status().unwrap();
        assert!(sent.success());
        let deadline = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "{:?}", self.heard);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may already have ended, which is equally good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One scheduler and two executors of one thread each.
pub(crate) struct Cluster {
    pub(crate) address: String,
    pub(crate) scheduler: Process,
    pub(crate) executors: Vec<Process>,
}

impl Cluster {
    pub(crate) fn start(folder: &Path, environment: &[(&str, String)]) -> Self {
        let (address, mut scheduler) = scheduler(folder, environment);
        let executors: Vec<Process> =
            ["first", "second"].iter().map(|name| executor(folder, &address, name, environment)).collect();
        for _ in &executors {
            scheduler.wait_for("has joined, threads: 1");
        }
        Self { address, scheduler, executors }
    }
}

/// A scheduler without executors, and its address.
pub(crate) fn scheduler(folder: &Path, environment: &[(&str, String)]) -> (String, Process) {
    let arguments = ["data", "cluster", "scheduler", "--listen", "127.0.0.1:0", "--patience", "8"];
    let mut scheduler = Process::start(folder, &arguments, environment);
    let line = scheduler.wait_for("scheduler at ");
    (line.trim_start_matches("scheduler at ").to_owned(), scheduler)
}

/// An executor that writes into a folder of this name.
pub(crate) fn executor(
    folder: &Path,
    scheduler: &str,
    name: &str,
    environment: &[(&str, String)],
) -> Process {
    std::fs::create_dir_all(folder.join(name)).unwrap();
    let options = ["--listen", "127.0.0.1:0", "--threads", "1", "--memory", "200", "--folder", name];
    Process::start(folder, &[&["data", "cluster", "executor", scheduler][..], &options].concat(), environment)
}

/// The processor time that a process has used.
pub(crate) fn processor_time(process: u32) -> Duration {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name, in brackets, may hold spaces. After it, fields 14 and 15 of proc(5) are ticks, a hundred per second.
    let fields: Vec<&str> = status.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 10)
}
