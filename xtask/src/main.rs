//! The repository's own checks, in Rust so that they run wherever the program builds: `cargo xtask help`.

#![expect(clippy::print_stdout, reason = "a command line tool: what it prints is what it is for")]

mod check;
mod metadata;
mod requirements;
mod size;
mod test_output;
mod testing;
mod walls;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
The repository's own checks.

  cargo xtask check [STEP...] [--from STEP]   every check, cheapest first; or the named ones; or from one to the end
  cargo xtask walls                           who may import whom, file sizes, names, lints
  cargo xtask test [ARGUMENT...]              cargo test, then the ignored tests whose requirement is met; the
                                              arguments go to `cargo test` in place of the whole workspace (-p chess)
  cargo xtask size                            clean enough? the release binary against its limit in bytes
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
        "check" => check::run(rest),
        "test" => testing::run_command(rest),
        "walls" | "size" if !rest.is_empty() => {
            bail!("`cargo xtask {command}` takes no arguments, found {rest:?}")
        }
        "walls" => walls::run(),
        "size" => size::run(),
        "help" | "--help" | "-h" => {
            println!("{HELP}\n\nSteps of check, in order:\n{}", check::describe_steps());
            Ok(())
        }
        other => bail!("unknown command `{other}`; expected check, walls, test, size or help"),
    }
}
