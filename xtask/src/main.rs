//! The repository's own checks, in Rust so that they run wherever the program builds: `cargo xtask help`.

#![expect(clippy::print_stdout, reason = "a command line tool: what it prints is what it is for")]

mod bench_trailer;
mod check;
mod fuzz;
mod release_build;
mod repository;
mod requirements;
mod results;
mod sanitizers;
mod secrets;
mod sources;
mod testing;
mod torture;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
The repository's own checks.

  cargo xtask check [STEP...] [--from STEP]   every check, the quickest first; or the named ones; or from one to the end
  cargo xtask test [ARGUMENT...]              every test that can run here, and the names of those that cannot; the
                                              arguments go to `cargo test` in place of the whole workspace (-p chess)
  cargo xtask release [STEP...]               what a release needs beyond `check`, which takes about half an hour more
  cargo xtask cluster [STEP...]               lints and tests of the feature `cluster`, which none of the others compiles
  cargo xtask torture [FAULT...] [COMMAND...] [--minutes N] [--seed N] [--round N] [--program PATH] [--state FOLDER]
                                              the long commands under faults, each compared with its run without them
  cargo xtask results                         writes docs/results.md and the README's figures from docs/results.toml
  cargo xtask help                            this text";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when stderr itself is closed.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let (command, rest) = match arguments {
        [] => ("help", &[][..]),
        [command, rest @ ..] => (command.as_str(), rest),
    };
    match command {
        "check" => check::run(check::CHECK, rest),
        "test" => testing::run_command(rest),
        "release" => check::run(check::RELEASE, rest),
        "cluster" => check::run(check::CLUSTER, rest),
        "torture" => torture::run(rest),
        "results" => results::write(),
        "help" | "--help" | "-h" => {
            let [check, release, cluster] =
                [check::CHECK, check::RELEASE, check::CLUSTER].map(check::describe);
            println!(
                "{HELP}\n\nSteps of check:\n{check}\n\nSteps of release:\n{release}\n\nSteps of cluster:\n{cluster}\n\n{}",
                torture::describe()
            );
            Ok(())
        }
        other => bail!(
            "unknown command `{other}`; expected check, test, release, cluster, torture, results or help"
        ),
    }
}
