//! `cargo xtask test`: runs every test that the machine can run, and lists by name those it cannot.
//!
//! Tests that need something from outside carry `#[ignore]`, so that a plain `cargo test` leaves them out, and a marker in
//! their names (see `requirements`). Here libtest runs all of them except those whose marker stands for something missing;
//! it lists these. So no test is left out without being listed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::repository;
use crate::requirements::{Finding, REQUIREMENTS};

/// Result of all tests; its `Display` is the last line of the output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    passed: usize,
    failed: usize,
    failures: Vec<String>,
    /// `name: reason`, one for each test that was not run.
    skipped: Vec<String>,
    /// True if Cargo failed, which also happens without a failed test: if a test does not compile or its process dies.
    cargo_failed: bool,
}

/// Capabilities of this machine for tests.
#[derive(Default)]
struct Machine {
    /// The markers of tests that cannot run here, each with the reason.
    missing: Vec<(&'static str, String)>,
    /// Environment variables through which tests find what they need.
    variables: Vec<(&'static str, OsString)>,
}

/// Runs the tests and prints the summary, its counts on the last line.
pub(crate) fn run_command(arguments: &[String]) -> Result<()> {
    let summary = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
    summary.print_details();
    println!("{summary}");
    summary.verdict()
}

/// Features of lints and tests beyond the default ones.
pub(crate) const FEATURES: &str = "sql,s3";

/// Runs the tests of the packages that `arguments` select, or of the whole workspace.
pub(crate) fn run(arguments: &[&str]) -> Result<Summary> {
    let machine = Machine::look_around()?;
    let mut summary = Summary::default();
    let selection = if arguments.is_empty() { &EVERYTHING[..] } else { arguments };
    if arguments.is_empty() {
        run_everything(&machine, &mut summary)?;
    } else {
        summary.cargo_failed = !for_each_line(&mut machine.cargo_test(selection), |line| summary.show(line))?;
    }
    if !machine.missing.is_empty() {
        let mut list = machine.cargo(selection);
        list.args(["--", "--list"])
            .args(machine.missing.iter().map(|(marker, _)| marker))
            .stderr(Stdio::null());
        for_each_line(&mut list, |line| summary.skipped.extend(skipped(line, &machine.missing)))?;
    }
    Ok(summary)
}

/// Selects the whole workspace.
const EVERYTHING: [&str; 3] = ["--workspace", "--features", FEATURES];

/// Tests the whole workspace: the crates and their documentation at the same time as the files in `tests`. Cargo runs one test program
/// after the other, and a processor would be idle during the wait for the last test of a program or for a browser. The lines of the
/// second part are printed when it has ended, so that the output of a failed test is in one place.
fn run_everything(machine: &Machine, summary: &mut Summary) -> Result<()> {
    let mut compile = machine.cargo(&EVERYTHING);
    if !compile.arg("--no-run").status().context("cannot start cargo test")?.success() {
        summary.cargo_failed = true;
        return Ok(());
    }
    let metadata =
        repository::output(repository::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let files = test_files(&serde_json::from_str(&metadata).context("cannot read what cargo metadata says")?);
    let files: Vec<&str> = files.iter().flat_map(|name| ["--test", name]).collect();
    let mut later = Vec::new();
    let (crates, documentation, files) = std::thread::scope(|scope| {
        let files = scope.spawn(|| machine.run_part(&files, |line| later.push(line.to_owned())));
        let crates = machine.run_part(&["--lib", "--bins"], |line| summary.show(line));
        let documentation = machine.run_part(&["--doc"], |line| summary.show(line));
        (crates, documentation, files.join())
    });
    for line in &later {
        summary.show(line);
    }
    let files = files.ok().context("the thread that reads the second part's output failed")?;
    summary.cargo_failed = !(crates? & documentation? & files?);
    Ok(())
}

/// The names of all test programs that these features compile, from what `cargo metadata` says; those of most crates have one name.
fn test_files(metadata: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for target in items(metadata, "packages").flat_map(|package| items(package, "targets")) {
        let is_test = items(target, "kind").any(|kind| kind == "test");
        let is_compiled = items(target, "required-features")
            .all(|feature| FEATURES.split(',').any(|present| feature == present));
        if is_test && is_compiled {
            names.extend(target["name"].as_str().map(str::to_owned));
        }
    }
    names
}

/// The items of a list in JSON; none if there is no such list.
fn items<'a>(value: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    value[list].as_array().into_iter().flatten()
}

/// A line of libtest's list, as `name: reason`; nothing for a line that names no test.
fn skipped(line: &str, missing: &[(&str, String)]) -> Option<String> {
    let name = line.strip_suffix(": test")?;
    let reasons: Vec<&str> = missing
        .iter()
        .filter(|(marker, _)| name.contains(marker))
        .map(|(_, reason)| reason.as_str())
        .collect();
    Some(format!("{name}: {}", reasons.join("; ")))
}

/// Hands each line of a program's output to `take` as it comes. Returns whether the program succeeded.
fn for_each_line(command: &mut Command, mut take: impl FnMut(&str)) -> Result<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo test")?;
    let stdout = child.stdout.take().context("cargo test has no output to read")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.context("cannot read the output of cargo test")?;
        take(String::from_utf8_lossy(&line).trim_end());
    }
    Ok(child.wait().context("cannot wait for cargo test")?.success())
}

impl Machine {
    fn look_around() -> Result<Self> {
        let mut machine = Self::default();
        for requirement in REQUIREMENTS {
            match requirement.find(repository::root())? {
                Finding::Met(variables) => machine.variables.extend(variables),
                Finding::Missing(reason) => machine.missing.push((requirement.marker, reason)),
            }
        }
        Ok(machine)
    }

    /// `cargo test`, up to the arguments for libtest.
    fn cargo(&self, selection: &[&str]) -> Command {
        let mut command = repository::cargo();
        command.args(["test", "--no-fail-fast"]).args(selection);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the tests of some targets of the whole workspace. Returns whether they passed.
    fn run_part(&self, targets: &[&str], take: impl FnMut(&str)) -> Result<bool> {
        for_each_line(&mut self.cargo_test(&[&EVERYTHING, targets].concat()), take)
    }

    /// All tests of the selection that this machine can run.
    fn cargo_test(&self, selection: &[&str]) -> Command {
        let mut command = self.cargo(selection);
        command.args(["--", "--include-ignored"]);
        command.args(self.missing.iter().flat_map(|(marker, _)| ["--skip", marker]));
        command
    }
}

impl Summary {
    /// Prints and counts one line of libtest's output.
    fn show(&mut self, line: &str) {
        println!("{line}");
        self.read(line);
    }

    /// Counts one line of libtest's output.
    fn read(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count_before(counts, " passed");
            self.failed += count_before(counts, " failed");
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... FAILED")).map(|(name, _)| name)
        {
            self.failures.push(name.to_owned());
        }
    }

    /// Lists skipped and failed tests by name.
    pub(crate) fn print_details(&self) {
        for skipped in &self.skipped {
            println!("skipped: {skipped}");
        }
        for failure in &self.failures {
            println!("FAILED: {failure}");
        }
    }

    /// An error unless everything that ran passed.
    pub(crate) fn verdict(&self) -> Result<()> {
        if self.failed > 0 {
            bail!("{self}; the failed tests are listed above, after `FAILED:`");
        }
        if self.cargo_failed {
            bail!("{self}, but cargo test failed; what it says is above");
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped.len())
    }
}

/// The number right before `label`, as in `3 passed; 0 failed`; zero if there is no number.
fn count_before(text: &str, label: &str) -> usize {
    let before = text.split_once(label).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 3 tests
test game::tests::mate_is_mate ... ok
test game::tests::bad_fen - should panic ... ok
test game::tests::castling ... FAILED

failures:
    game::tests::castling

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
   Compiling test v0.1.0
test result: ok. 11 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 1.20s
";

    #[test]
    fn counts_add_up_over_binaries_and_failures_are_named() {
        let mut summary = Summary::default();
        OUTPUT.lines().for_each(|line| summary.read(line));
        assert_eq!(summary.to_string(), "13 passed, 1 failed, 0 skipped");
        assert_eq!(summary.failures, ["game::tests::castling"]);
        assert!(summary.verdict().is_err());
    }

    #[test]
    fn a_test_that_cannot_run_is_listed_with_every_reason() {
        let missing = [("real_data_", "no data".to_owned()), ("chromium_", "no browser".to_owned())];
        assert_eq!(skipped("real_data_games: test", &missing).unwrap(), "real_data_games: no data");
        assert_eq!(
            skipped("real_data_chromium_x: test", &missing).unwrap(),
            "real_data_chromium_x: no data; no browser"
        );
        for other in ["", "3 tests, 0 benchmarks", "encode: benchmark"] {
            assert_eq!(skipped(other, &missing), None);
        }
    }

    #[test]
    fn every_file_of_tests_is_run_that_the_features_compile() {
        let metadata = serde_json::json!({ "packages": [
            { "targets": [{ "name": "chess", "kind": ["lib"] }, { "name": "perft", "kind": ["test"] }] },
            { "targets": [
                { "name": "sql", "kind": ["test"], "required-features": ["sql"] },
                { "name": "cluster", "kind": ["test"], "required-features": ["sql", "cluster"] },
            ] },
        ] });
        assert_eq!(test_files(&metadata).into_iter().collect::<Vec<_>>(), ["perft", "sql"]);
    }

    #[test]
    fn a_build_that_fails_is_a_failure_even_with_no_test_run() {
        let summary = Summary { cargo_failed: true, ..Summary::default() };
        assert_eq!(summary.to_string(), "0 passed, 0 failed, 0 skipped");
        assert!(summary.verdict().is_err());
        assert!(Summary { passed: 1, ..Summary::default() }.verdict().is_ok());
    }
}
