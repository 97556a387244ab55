//! Builds of the program: no warnings and, for a release, a binary within the size limit.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::repository;

/// Maximum size of the default release program in bytes, 21 million of them the default network and 30 million those of the
/// reproduced systems; heavy parts go behind features.
const LARGEST_PROGRAM: u64 = 105_000_000;

/// Builds the release program and checks its warnings and its size.
pub(crate) fn run() -> Result<()> {
    let program = build(&["--release", "--package", "tabiya"])?;
    let bytes =
        std::fs::metadata(&program).with_context(|| format!("cannot read {}", program.display()))?.len();
    check_size(bytes)?;
    println!("release: {:.1} MB", bytes as f64 / 1e6);
    Ok(())
}

/// Builds the program with these arguments for `cargo build`. Returns its path.
pub(crate) fn build(selection: &[&str]) -> Result<PathBuf> {
    let mut build = repository::cargo();
    build.arg("build").args(selection).args(["--message-format", "json-render-diagnostics"]);
    read_messages(&repository::output(&mut build)?)
}

/// Reads Cargo's messages about a build, one JSON object per line. Returns the program, unless our own code has
/// warnings.
fn read_messages(output: &str) -> Result<PathBuf> {
    let mut warnings = 0;
    let mut program = None;
    for line in output.lines() {
        let message: Value = serde_json::from_str(line).context("cannot read a message of cargo build")?;
        warnings += usize::from(message["message"]["level"] == "warning");
        let target = &message["target"];
        // The program, not the one that runs its unit tests.
        if target["name"] == "tabiya" && target["kind"][0] == "bin" && message["profile"]["test"] != true {
            program = message["executable"].as_str().map(PathBuf::from).or(program);
        }
    }
    if warnings > 0 {
        bail!("the build has {warnings} warning(s), shown above; expected none");
    }
    program.context("cargo build named no program")
}

fn check_size(bytes: u64) -> Result<()> {
    if bytes > LARGEST_PROGRAM {
        bail!("the program has {bytes} bytes; expected at most {LARGEST_PROGRAM}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_past_the_limit_is_an_error() {
        assert!(check_size(LARGEST_PROGRAM).is_ok());
        let error = check_size(LARGEST_PROGRAM + 1).unwrap_err().to_string();
        assert!(error.contains(&format!("{} bytes", LARGEST_PROGRAM + 1)), "{error}");
    }

    #[test]
    fn the_program_is_found_and_a_warning_is_an_error() {
        let artifact = r#"{"reason":"compiler-artifact","executable":"/target/release/tabiya","target":{"name":"tabiya","kind":["bin"]}}"#;
        let test = r#"{"reason":"compiler-artifact","executable":"/target/release/deps/tabiya-1","target":{"name":"tabiya","kind":["bin"]},"profile":{"test":true}}"#;
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let warning = r#"{"reason":"compiler-message","message":{"level":"warning"}}"#;
        let program = read_messages(&format!("{library}\n{artifact}\n{test}")).unwrap();
        assert_eq!(program, PathBuf::from("/target/release/tabiya"));
        let error = read_messages(&format!("{warning}\n{artifact}")).unwrap_err().to_string();
        assert!(error.contains("1 warning(s)"), "{error}");
        assert!(read_messages(library).is_err());
    }
}
