//! The program under test, driven as by a GUI.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use protocol::Response;

/// Far longer than anything the program does here, on any machine: waiting longer would be in vain.
const HANG: Duration = Duration::from_mins(2);

/// A running `tabiya uci` with the material evaluator.
pub(crate) struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Everything the program wrote, for messages and for the check that it was all UCI.
    heard: Vec<String>,
}

impl Conversation {
    pub(crate) fn start() -> Self {
        Self::with_arguments(&["uci", "--net", "material"])
    }

    /// Starts the program with these arguments.
    pub(crate) fn with_arguments(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("cargo has built the program");
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("the program writes UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, heard: Vec::new() }
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input was not closed");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the program reads");
    }

    pub(crate) fn line(&mut self) -> String {
        match self.lines.recv_timeout(HANG) {
            Ok(line) => {
                self.heard.push(line.clone());
                line
            }
            Err(error) => panic!("no line ({error}) after\n{}", self.heard.join("\n")),
        }
    }

    /// Lines up to and including the first that starts with `start`.
    pub(crate) fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// Sends a line and waits until everything before it is done. Returns the lines received meanwhile, without
    /// `readyok`.
    pub(crate) fn settle(&mut self, line: &str) -> Vec<String> {
        self.say(line);
        self.say("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a `go` that ends by itself. Returns its lines up to `bestmove`.
    pub(crate) fn search(&mut self, position: &str, go: &str) -> Vec<String> {
        self.say(position);
        self.say(go);
        self.until("bestmove")
    }

    /// Ends the program with `quit` and checks that it exited properly and wrote nothing but UCI.
    pub(crate) fn quit(mut self) {
        self.say("quit");
        let _heard = self.leave();
    }

    /// Closes the input, as a dying GUI does, with the same checks. Returns everything that was received.
    pub(crate) fn leave(mut self) -> Vec<String> {
        self.input = None;
        while let Ok(line) = self.lines.recv_timeout(HANG) {
            self.heard.push(line);
        }
        let status: ExitStatus = self.child.wait().expect("it was started here");
        assert!(status.success(), "{status} after\n{}", self.heard.join("\n"));
        for line in &self.heard {
            assert!(is_uci(line), "{line:?} is not UCI");
        }
        std::mem::take(&mut self.heard)
    }
}

impl Drop for Conversation {
    /// A failed test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// True if a line is a response of UCI or a line of `go perft`, which has its own form.
fn is_uci(line: &str) -> bool {
    let perft = line.is_empty()
        || line.starts_with("Nodes searched: ")
        || line.split_once(": ").is_some_and(|(chess_move, count)| {
            chess_move.len() <= 5 && count.parse::<u64>().is_ok() && !chess_move.contains(' ')
        });
    perft || line.parse::<Response>().is_ok()
}

/// The move of the `bestmove` line at the end.
pub(crate) fn best_move(lines: &[String]) -> &str {
    lines.last().and_then(|line| line.split(' ').nth(1)).expect("a search ends with its move")
}
