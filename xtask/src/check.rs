//! `cargo xtask check`: every check of the repository, cheapest first, stopping at the first that fails.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::testing::{self, Summary};
use crate::{size, walls};

/// One step of the check.
struct Step {
    name: &'static str,
    what: &'static str,
    run: fn() -> Result<Verdict>,
}

/// What a step that did not fail came to.
enum Verdict {
    Passed,
    /// The tool for it is not installed; the text says which and how to get it.
    Skipped(String),
    /// The tests, whose counts close the output.
    Tested(Summary),
}

/// Features that only tests need: what they compare with.
pub(crate) const FEATURES: &str = "burn-cpu";

/// The visible list, cheapest first.
const STEPS: &[Step] = &[
    Step { name: "fmt", what: "formatting", run: || cargo(&["fmt", "--all", "--check"]) },
    Step {
        name: "walls",
        what: "who imports whom, file sizes, names, unsafe",
        run: || walls::run().map(|()| Verdict::Passed),
    },
    Step { name: "typos", what: "spelling", run: || tool("typos", "typos-cli", &[]) },
    Step {
        name: "deny",
        what: "licences, bans and sources of dependencies",
        run: || tool("cargo-deny", "cargo-deny", &["check", "licenses", "bans", "sources"]),
    },
    Step {
        name: "page",
        what: "the page: types, lints, tests without a browser, build",
        run: || script("scripts/build-page", &["--check"]),
    },
    Step {
        name: "clippy",
        what: "lints, warnings as errors",
        run: || {
            cargo(&["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--", "-D", "warnings"])
        },
    },
    Step {
        name: "default",
        what: "lints of the program as it is shipped, without the features of the tests",
        run: || cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    },
    Step {
        name: "docs",
        what: "documentation, warnings as errors",
        run: || cargo(&["doc", "--workspace", "--no-deps", "--features", FEATURES]),
    },
    Step { name: "size", what: "release build and its size", run: || size::run().map(|()| Verdict::Passed) },
    Step {
        name: "tests",
        what: "all tests this machine can run",
        run: || testing::run(&[]).map(Verdict::Tested),
    },
];

/// Runs the steps that `arguments` select: none = all, names = those, `--from NAME` = from that one to the end.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let steps = select(arguments)?;
    let mut report = Vec::new();
    let mut summary = None;
    for (index, step) in steps.iter().enumerate() {
        println!("== {}/{} {}: {}", index + 1, steps.len(), step.name, step.what);
        let start = Instant::now();
        let verdict = (step.run)().and_then(|verdict| match verdict {
            Verdict::Tested(tests) => {
                tests.print_details();
                let verdict = tests.verdict().map(|()| "passed".to_owned());
                summary = Some(tests);
                verdict
            }
            Verdict::Passed => Ok("passed".to_owned()),
            Verdict::Skipped(reason) => Ok(format!("skipped: {reason}")),
        });
        let seconds = start.elapsed().as_secs_f64();
        let said = verdict.as_ref().map_or("FAILED", String::as_str);
        let line = format!("{:<7} {seconds:>7.1} s  {said}", step.name);
        println!("== {line}\n");
        report.push(line);
        if let Err(error) = verdict {
            close(&report, summary.as_ref());
            let name = step.name;
            return Err(error
                .context(format!("the step `{name}` failed; to repeat it alone: cargo xtask check {name}")));
        }
    }
    close(&report, summary.as_ref());
    Ok(())
}

/// The times of all steps; the counts of the tests, where they ran, are the last line of all.
fn close(report: &[String], summary: Option<&Summary>) {
    println!("{}", report.join("\n"));
    if let Some(summary) = summary {
        println!("{summary}");
    }
}

/// One line for each step, for the help text.
pub(crate) fn describe_steps() -> String {
    let lines: Vec<String> = STEPS.iter().map(|step| format!("  {:<7} {}", step.name, step.what)).collect();
    lines.join("\n")
}

fn select(arguments: &[String]) -> Result<Vec<&'static Step>> {
    match arguments {
        [] => Ok(STEPS.iter().collect()),
        [flag, name] if flag == "--from" => Ok(STEPS[position(name)?..].iter().collect()),
        names => {
            let mut chosen = Vec::new();
            for name in names {
                chosen.push(position(name)?);
            }
            chosen.sort_unstable();
            chosen.dedup();
            Ok(chosen.into_iter().map(|index| &STEPS[index]).collect())
        }
    }
}

fn position(name: &str) -> Result<usize> {
    STEPS.iter().position(|step| step.name == name).with_context(|| {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        format!("no step is called `{name}`; expected [--from] {}", names.join(", "))
    })
}

fn cargo(arguments: &[&str]) -> Result<Verdict> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTDOCFLAGS", "-D warnings")
        .status()
        .with_context(|| format!("cannot start cargo {}", arguments.join(" ")))?;
    if !status.success() {
        bail!("cargo {} ended with {status}", arguments.join(" "));
    }
    Ok(Verdict::Passed)
}

/// A script of the repository.
fn script(path: &str, arguments: &[&str]) -> Result<Verdict> {
    let root = crate::metadata::Workspace::load()?.root;
    let status = Command::new(root.join(path)).args(arguments).current_dir(&root).status();
    let status = status.with_context(|| format!("cannot start {path}"))?;
    if !status.success() {
        bail!("{path} {} ended with {status}", arguments.join(" "));
    }
    Ok(Verdict::Passed)
}

/// A tool that developers may have and a fresh machine does not: compiling it would take longer than all other steps.
fn tool(program: &str, package: &str, arguments: &[&str]) -> Result<Verdict> {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !asked.is_ok_and(|status| status.success()) {
        return Ok(Verdict::Skipped(format!(
            "{program} is not installed (cargo install --locked {package})"
        )));
    }
    let root = crate::metadata::Workspace::load()?.root;
    let status = Command::new(program).args(arguments).current_dir(root).status();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("{program} {} ended with {status}", arguments.join(" "));
    }
    Ok(Verdict::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        select(&arguments).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn steps_are_selected_in_their_own_order() {
        assert_eq!(names(&[]).len(), STEPS.len());
        assert_eq!(names(&["tests", "fmt", "fmt"]), ["fmt", "tests"]);
        assert_eq!(names(&["--from", "size"]), ["size", "tests"]);
    }

    #[test]
    fn an_unknown_step_is_an_error_that_lists_the_known_ones() {
        for arguments in [["lint"].as_slice(), &["--from", "lint"], &["--from"], &["--from", "fmt", "walls"]]
        {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            let error = select(&arguments).err().expect("no such step").to_string();
            assert!(error.contains("expected [--from] fmt, walls"), "{error}");
        }
    }

    #[test]
    fn a_missing_tool_is_said_not_passed() {
        let verdict = tool("no-such-program-tabiya", "no-such-package", &[]).unwrap();
        assert!(matches!(verdict, Verdict::Skipped(reason) if reason.contains("no-such-program-tabiya")));
    }
}
