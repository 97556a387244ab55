//! The child process and its three pipes, each with a thread so that a blocked pipe cannot block the caller.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use chess::printable;

use super::{
    config::UciProcessConfig,
    error::{LastWords, UciProcessError},
};
use crate::Command;

/// Batches of lines read ahead, each at most as long as the reader's buffer. An engine that writes faster than the caller reads
/// blocks, instead of filling memory.
const READ_AHEAD: usize = 64;
/// Bytes of a line that are kept; longer than any principal variation.
const LINE_LIMIT: u64 = 64 * 1024;
/// Lines kept for error messages.
const LAST_WORDS: usize = 8;
/// Interval at which a quitting process is polled.
const POLL: Duration = Duration::from_millis(5);
/// Poll interval in bulk mode, where answers are collected in batches: at one node per position, waking two threads for each line
/// takes as long as the search.
const GATHERING: Duration = Duration::from_millis(1);

/// A child process with line-based input and output. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Pipes {
    child: Child,
    /// `None` after `quit`, which closes the process's input.
    to_child: Option<Sender<String>>,
    from_child: Receiver<Vec<String>>,
    /// Lines of the last batch not yet returned.
    lines: std::vec::IntoIter<String>,
    /// True if lines may wait for others ([`Pipes::gather`]).
    gathers: Arc<AtomicBool>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    quit_timeout: Duration,
    killed: bool,
}

/// A line, or the reason why none came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Line(String),
    TimedOut,
    Closed,
}

impl Pipes {
    pub(super) fn spawn(config: &UciProcessConfig) -> Result<Self, UciProcessError> {
        let mut command = std::process::Command::new(located(&config.command));
        command.args(&config.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        // Ctrl-C in a terminal goes to the whole process group; the engine must survive it to receive `quit`.
        files::system::shield_from_ctrl_c(&mut command);
        let mut child = command.spawn().map_err(|source| spawn_error(config, source))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(spawn_error(config, io::Error::other("its pipes are missing")));
        };
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let (to_child, commands) = channel();
        let (lines, from_child) = sync_channel(READ_AHEAD);
        // A thread for each pipe. The engine may fill its output while the caller writes, and its error output at any time: whoever
        // reads and writes all three in turn can wait for a pipe that only moves once another is emptied. The channel to the caller
        // is bounded, the one from it is not: a caller sends little, and must not wait for an engine that reads nothing.
        //
        // The threads end with their pipes. They are not joined: a grandchild may hold a pipe open forever.
        thread::spawn(move || write_lines(stdin, &commands));
        let gathers = Arc::new(AtomicBool::new(false));
        let (words, gathering) = (Arc::clone(&last_words), Arc::clone(&gathers));
        thread::spawn(move || forward_lines(stdout, &words, &gathering, &lines));
        let words = Arc::clone(&last_words);
        thread::spawn(move || read_lines(stderr, &words, |_lines| true));
        Ok(Self {
            child,
            to_child: Some(to_child),
            from_child,
            lines: Vec::new().into_iter(),
            gathers,
            last_words,
            quit_timeout: config.timeouts.quit,
            killed: false,
        })
    }

    /// Queues a command. If the engine has ended, waiting for its answer fails.
    pub(super) fn send(&self, command: &Command) {
        self.send_line(command.to_string());
    }

    /// Queues a line that is not a command of UCI.
    pub(super) fn send_line(&self, line: String) {
        if let Some(to_child) = &self.to_child {
            let _ = to_child.send(line);
        }
    }

    /// Queues several commands, which the engine finds in its input at once.
    pub(super) fn send_all(&self, commands: &[Command]) {
        if let Some(to_child) = &self.to_child
            && !commands.is_empty()
        {
            let lines: Vec<String> = commands.iter().map(ToString::to_string).collect();
            // As in `send`.
            let _ = to_child.send(lines.join("\n"));
        }
    }

    /// Switches bulk mode, in which lines are collected for a millisecond: fewer wake-ups if many answers are
    /// expected.
    pub(super) fn gather(&self, gathers: bool) {
        self.gathers.store(gathers, Ordering::Relaxed);
    }

    pub(super) fn receive(&mut self, deadline: Instant) -> Received {
        // A grandchild may hold the pipe of a killed process open.
        if self.killed {
            return Received::Closed;
        }
        // Checked separately, because a channel that is never empty never times out.
        let Some(patience) = deadline.checked_duration_since(Instant::now()) else {
            return Received::TimedOut;
        };
        if let Some(line) = self.lines.next() {
            return Received::Line(line);
        }
        match self.from_child.recv_timeout(patience) {
            Ok(lines) => {
                self.lines = lines.into_iter();
                self.lines.next().map_or(Received::TimedOut, Received::Line)
            }
            Err(RecvTimeoutError::Timeout) => Received::TimedOut,
            Err(RecvTimeoutError::Disconnected) => Received::Closed,
        }
    }

    pub(super) fn last_words(&self) -> LastWords {
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        LastWords(words.iter().cloned().collect())
    }

    /// Description of the exit status. Waits briefly, because pipes close before the process ends.
    pub(super) fn exit_status(&mut self) -> String {
        if self.wait(self.quit_timeout.min(Duration::from_millis(500))) {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) => {}
                Err(error) => return error.to_string(),
            }
        }
        "closed its output but still runs".into()
    }

    pub(super) fn kill(&mut self) {
        // Fails only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.killed = true;
    }

    /// Waits until the process has ended; false if it still runs after `limit`.
    fn wait(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            // Drain its output, because an engine blocked in writing would never read `quit`, but not past the deadline.
            self.from_child.try_iter().take(READ_AHEAD).for_each(drop);
            thread::sleep(POLL);
        }
    }
}

fn spawn_error(config: &UciProcessConfig, source: io::Error) -> UciProcessError {
    UciProcessError::Spawn { command: config.command.clone(), source }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.send(&Command::Stop);
        self.send(&Command::Quit);
        self.to_child = None;
        if !self.wait(self.quit_timeout) {
            self.kill();
        }
    }
}

/// The folder in which Debian installs games. It is not in every `PATH`.
const DEBIAN_GAMES: &str = "/usr/games";

/// The file of a program that is named by its path, or by its name in `PATH` or `/usr/games`; `None` if there is none.
pub fn program_file(command: &str) -> Option<PathBuf> {
    if command.contains(std::path::is_separator) {
        return Some(PathBuf::from(command)).filter(|file| file.is_file());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from(DEBIAN_GAMES)]);
    folders.map(|folder| folder.join(command)).find(|file| file.is_file())
}

/// The command to start: the system finds a program in `PATH` itself.
fn located(command: &str) -> PathBuf {
    program_file(command).filter(|file| file.starts_with(DEBIAN_GAMES)).unwrap_or_else(|| command.into())
}

fn write_lines(mut stdin: impl Write, commands: &Receiver<String>) {
    for mut command in commands {
        // In one piece: an engine that is woken for half a line sleeps again.
        command.push('\n');
        if stdin.write_all(command.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn forward_lines(
    stdout: impl Read,
    last_words: &Mutex<VecDeque<String>>,
    gathers: &AtomicBool,
    to_caller: &SyncSender<Vec<String>>,
) {
    read_lines(stdout, last_words, |lines| {
        let taken = to_caller.send(lines).is_ok();
        if gathers.load(Ordering::Relaxed) {
            thread::sleep(GATHERING);
        }
        taken
    });
}

/// Reads lines until the pipe closes or `take` refuses some. Lines that arrived together are passed together; a batch is never
/// empty.
fn read_lines(
    pipe: impl Read,
    last_words: &Mutex<VecDeque<String>>,
    mut take: impl FnMut(Vec<String>) -> bool,
) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut lines = Vec::new();
        let mut ended = false;
        while !ended && (lines.is_empty() || reader.buffer().contains(&b'\n')) {
            let mut bytes = Vec::new();
            match reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => ended = true,
                Ok(_) => {
                    // An over-long line arrives in pieces; no UCI message is that long.
                    let line = printable(String::from_utf8_lossy(&bytes).trim(), &[]);
                    if !line.is_empty() {
                        lines.push(line);
                    }
                }
            }
        }
        let mut words = last_words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(lines.iter().rev().take(LAST_WORDS).rev().cloned());
        let surplus = words.len().saturating_sub(LAST_WORDS);
        words.drain(..surplus);
        drop(words);
        if !lines.is_empty() && !take(lines) || ended {
            return;
        }
    }
}
