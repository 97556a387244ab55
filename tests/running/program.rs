//! Runs the program in a folder and checks how it ends.

#![allow(dead_code, reason = "each file of tests calls some of these")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{
    io::Write as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya");

/// Version and commit, as the program records them.
pub(crate) const VERSION: &str =
    concat!("tabiya ", env!("CARGO_PKG_VERSION"), ", commit ", env!("TABIYA_COMMIT"));

/// What follows the name of the program: a line, divided at white space outside single quotes, or a list of words.
pub(crate) trait Arguments {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        let mut words = Vec::new();
        for (number, part) in self.split('\'').enumerate() {
            if number % 2 == 0 {
                words.extend(part.split_whitespace());
            } else {
                words.push(part);
            }
        }
        words
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Arguments for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Arguments for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Arguments for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// A command in this folder, without input.
pub(crate) fn command(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments.words()).current_dir(folder).stdin(Stdio::null());
    command
}

/// What a command returned.
pub(crate) fn tabiya(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> Output {
    command(folder, arguments).output().unwrap()
}

/// What a command returned that was given this input.
pub(crate) fn with_input(
    folder: &Path,
    arguments: &(impl Arguments + ?Sized),
    input: impl AsRef<[u8]>,
) -> Output {
    let mut command = command(folder, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The command may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap()
}

/// Standard output and standard error of a command that must succeed.
pub(crate) fn both(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> (String, String) {
    let output = tabiya(folder, arguments);
    assert!(output.status.success(), "{:?}: {output:?}", arguments.words());
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Standard output of a command that must succeed.
pub(crate) fn success(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> String {
    both(folder, arguments).0
}

/// Standard error of a command that must succeed.
pub(crate) fn progress(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> String {
    both(folder, arguments).1
}

/// The JSON that a command printed, which must succeed.
pub(crate) fn json(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> Value {
    serde_json::from_str(&success(folder, arguments)).unwrap()
}

/// The JSON in a file.
pub(crate) fn read_json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap()
}

/// Standard error of a command that must fail.
pub(crate) fn failure(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> String {
    let output = tabiya(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{:?}: {output:?}", arguments.words());
    String::from_utf8(output.stderr).unwrap()
}

/// Standard error of a command that must end with this code and print no result.
pub(crate) fn refusal(folder: &Path, arguments: &(impl Arguments + ?Sized), code: i32) -> String {
    let output = tabiya(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{:?}: {output:?}", arguments.words());
    assert!(output.stdout.is_empty(), "{:?}: {output:?}", arguments.words());
    String::from_utf8(output.stderr).unwrap()
}

/// Runs a command that must end with this code and an error with these words, and print no result.
pub(crate) fn refused(folder: &Path, arguments: &(impl Arguments + ?Sized), code: i32, expected: &str) {
    let message = refusal(folder, arguments, code);
    let is_named = message.contains("error: ") && message.contains(expected);
    assert!(is_named, "{:?}: expected {expected:?} in {message}", arguments.words());
}

/// What a command returned under a limit that a shell sets, such as `ulimit -f 1`.
pub(crate) fn limited(folder: &Path, limit: &str, arguments: &str) -> Output {
    let script = format!("{limit}; exec \"$0\" {arguments}");
    Command::new("bash").args(["-c", &script, PROGRAM]).current_dir(folder).output().unwrap()
}

/// Waits until something has happened, for minutes if the machine is busy.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_mins(5), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills a process like `kill -9`.
pub(crate) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Sends a signal, such as `INT`, and returns what the process wrote until it ended.
pub(crate) fn signal(child: Child, name: &str) -> Output {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}
