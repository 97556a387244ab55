//! `cargo xtask test`: every test the machine can run, and by name those it cannot.
//!
//! 1. `cargo test` runs everything without a requirement.
//! 2. A second `cargo test` runs the ignored tests whose requirements (see `requirements`) are met.
//! 3. Passed and failed add up over both; what neither ran is skipped, and said with its reason.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::check::FEATURES;
use crate::metadata::Workspace;
use crate::requirements::{Finding, REQUIREMENTS};
use crate::test_output::Outcome;

/// What came of all tests; its `Display` is the line that closes the output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// `name: reason`, one for each test that was not run.
    pub(crate) skipped: Vec<String>,
    /// What makes the whole a failure: failed tests, and tests that could never run.
    pub(crate) faults: Vec<String>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped.len())
    }
}

/// One requirement on this machine.
struct Condition {
    marker: &'static str,
    /// Why its tests cannot run here; `None` where they can.
    missing: Option<String>,
}

/// What this machine offers to tests.
#[derive(Default)]
struct Surroundings {
    conditions: Vec<Condition>,
    /// Environment variables through which tests find what meets their requirements.
    variables: Vec<(&'static str, OsString)>,
}

/// Runs the tests and prints the summary, its counts on the last line.
pub(crate) fn run_command(arguments: &[String]) -> Result<()> {
    let summary = run(arguments)?;
    summary.print_details();
    println!("{summary}");
    summary.verdict()
}

/// Runs the tests of the packages that `arguments` select, or of the whole workspace.
pub(crate) fn run(arguments: &[String]) -> Result<Summary> {
    let workspace = Workspace::load()?;
    let everything = ["--workspace", "--features", FEATURES].map(str::to_owned);
    let selection = if arguments.is_empty() { everything.to_vec() } else { arguments.to_vec() };
    let Surroundings { conditions, variables } = Surroundings::look_around(&workspace.root)?;

    let cargo = Cargo { root: &workspace.root, selection: &selection, variables: &variables };
    let plain = cargo.test(&[])?;
    let wanted = !plain.outcome.ignored.is_empty() && conditions.iter().any(Condition::is_met);
    let on_request = wanted.then(|| cargo.test(&libtest_arguments(&conditions))).transpose()?;
    Ok(sum_up(&plain, on_request.as_ref(), &conditions))
}

/// Only the ignored tests that carry a marker whose requirement is met, and none whose is not.
fn libtest_arguments(conditions: &[Condition]) -> Vec<&str> {
    let mut arguments = vec!["--ignored"];
    for condition in conditions {
        if !condition.is_met() {
            arguments.push("--skip");
        }
        arguments.push(condition.marker);
    }
    arguments
}

fn sum_up(plain: &Run, on_request: Option<&Run>, conditions: &[Condition]) -> Summary {
    let mut summary = Summary::default();
    for run in std::iter::once(plain).chain(on_request) {
        summary.passed += run.outcome.passed;
        summary.failed += run.outcome.failed;
        summary.faults.extend(run.outcome.failures.iter().map(|failure| format!("{failure} failed")));
        if !run.succeeded && run.outcome.failed == 0 {
            summary.faults.push("cargo test failed outside the tests: see its output above".to_owned());
        }
    }
    let mut ran: Vec<&String> = on_request.iter().flat_map(|run| &run.outcome.ran).collect();
    for (name, reason) in &plain.outcome.ignored {
        // Two crates may have a test of one name, so each run is taken out once.
        if let Some(place) = ran.iter().position(|other| *other == name) {
            ran.swap_remove(place);
            continue;
        }
        let needed: Vec<&Condition> =
            conditions.iter().filter(|condition| name.contains(condition.marker)).collect();
        let missing: Vec<&str> = needed.iter().filter_map(|condition| condition.missing.as_deref()).collect();
        summary.skipped.push(format!("{name}: {reason}; {}", missing.join("; ")));
        if missing.is_empty() {
            let markers: Vec<&str> = conditions.iter().map(|condition| condition.marker).collect();
            summary.faults.push(format!(
                "{name} is ignored and nothing would ever run it: expected a name with {}",
                markers.join(" or ")
            ));
        }
    }
    summary
}

impl Summary {
    /// Lists skipped tests and faults by name.
    pub(crate) fn print_details(&self) {
        for skipped in &self.skipped {
            println!("skipped: {skipped}");
        }
        for fault in &self.faults {
            println!("FAILED: {fault}");
        }
    }

    /// An error unless everything that ran passed.
    pub(crate) fn verdict(&self) -> Result<()> {
        if self.faults.is_empty() && self.failed == 0 {
            return Ok(());
        }
        bail!("{self}; every fault stands above, after `FAILED:`")
    }
}

impl Surroundings {
    fn look_around(root: &Path) -> Result<Self> {
        let mut surroundings = Self::default();
        for requirement in REQUIREMENTS {
            let missing = match requirement.find(root)? {
                Finding::Met(variables) => {
                    surroundings.variables.extend(variables);
                    None
                }
                Finding::Missing(reason) => Some(reason),
            };
            surroundings.conditions.push(Condition { marker: requirement.marker, missing });
        }
        Ok(surroundings)
    }
}

impl Condition {
    fn is_met(&self) -> bool {
        self.missing.is_none()
    }
}

/// What one `cargo test` came to.
#[derive(Debug)]
struct Run {
    outcome: Outcome,
    succeeded: bool,
}

struct Cargo<'a> {
    root: &'a Path,
    selection: &'a [String],
    variables: &'a [(&'static str, OsString)],
}

impl Cargo<'_> {
    /// Runs `cargo test`, showing its output as it comes.
    fn test(&self, libtest: &[&str]) -> Result<Run> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut child = Command::new(cargo)
            .args(["test", "--no-fail-fast"])
            .args(self.selection)
            .arg("--")
            .args(libtest)
            .current_dir(self.root)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start cargo test")?;
        let stdout = child.stdout.take().context("cargo test has no output to read")?;
        let mut outcome = Outcome::default();
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.context("cannot read the output of cargo test")?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            outcome.read(line.trim_end());
        }
        let status = child.wait().context("cannot wait for cargo test")?;
        Ok(Run { outcome, succeeded: status.success() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions() -> Vec<Condition> {
        vec![
            Condition { marker: "real_data_", missing: Some("no data".to_owned()) },
            Condition { marker: "python_", missing: None },
        ]
    }

    fn ignored(names: &[&str]) -> Vec<(String, String)> {
        names.iter().map(|name| ((*name).to_owned(), "needs something".to_owned())).collect()
    }

    fn plain(names: &[&str]) -> Run {
        Run { outcome: Outcome { passed: 5, ignored: ignored(names), ..Outcome::default() }, succeeded: true }
    }

    fn ran(names: &[&str]) -> Run {
        let ran: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Run { outcome: Outcome { passed: ran.len(), ran, ..Outcome::default() }, succeeded: true }
    }

    #[test]
    fn met_requirements_are_asked_for_and_unmet_ones_left_out() {
        assert_eq!(libtest_arguments(&conditions()), ["--ignored", "--skip", "real_data_", "python_"]);
    }

    #[test]
    fn what_neither_run_took_is_skipped_with_its_reason() {
        let summary = sum_up(
            &plain(&["a::real_data_games", "b::python_reads"]),
            Some(&ran(&["b::python_reads"])),
            &conditions(),
        );
        assert_eq!(summary.to_string(), "6 passed, 0 failed, 1 skipped");
        assert_eq!(summary.skipped, ["a::real_data_games: needs something; no data"]);
        assert!(summary.verdict().is_ok());
    }

    #[test]
    fn without_ignored_tests_one_run_is_enough() {
        let summary = sum_up(&plain(&[]), None, &conditions());
        assert_eq!(summary.to_string(), "5 passed, 0 failed, 0 skipped");
        assert!(summary.verdict().is_ok(), "{:?}", summary.faults);
    }

    #[test]
    fn one_run_of_a_name_does_not_stand_for_two_tests() {
        let summary =
            sum_up(&plain(&["python_reads", "python_reads"]), Some(&ran(&["python_reads"])), &conditions());
        assert_eq!(summary.skipped.len(), 1);
        assert!(summary.verdict().is_err(), "its requirement is met, so it should have run");
    }

    #[test]
    fn an_ignored_test_without_a_marker_is_a_fault() {
        let summary = sum_up(&plain(&["slow_one"]), Some(&ran(&[])), &conditions());
        assert!(summary.faults[0].contains("slow_one is ignored and nothing would ever run it"));
        assert!(summary.verdict().is_err());
    }

    #[test]
    fn a_failure_in_either_run_is_a_failure() {
        let mut failing = ran(&["python_reads"]);
        failing.outcome = Outcome { failed: 1, failures: vec!["python_reads".to_owned()], ..failing.outcome };
        failing.succeeded = false;
        let summary = sum_up(&plain(&["python_reads"]), Some(&failing), &conditions());
        assert_eq!(summary.faults, ["python_reads failed"]);
        assert!(summary.verdict().is_err());
    }

    #[test]
    fn a_build_that_fails_is_a_failure_even_with_no_test_run() {
        let summary = sum_up(&Run { outcome: Outcome::default(), succeeded: false }, None, &conditions());
        assert_eq!(summary.to_string(), "0 passed, 0 failed, 0 skipped");
        assert!(summary.verdict().is_err());
    }
}
