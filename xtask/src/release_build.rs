//! The release build and its trial build, which takes half the time: no warnings, and a binary within the size limit.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::repository;

/// Maximum size of the default release program in bytes, 21 million of them the default network and 30 million those of the
/// reproduced systems; heavy parts go behind features.
const LARGEST_PROGRAM: u64 = 105_000_000;
/// Limit of the trial build, whose code is larger: little of it is inlined, and nothing is dropped at link time. It
/// finds a heavy part anyway.
const LARGEST_TRIAL: u64 = 110_000_000;

/// Profiles of the root manifest.
pub(crate) const RELEASE: &str = "release";
pub(crate) const TRIAL: &str = "trial";

/// Builds the program with one of the profiles and checks its warnings and its size.
pub(crate) fn run(profile: &str) -> Result<()> {
    let program = build(profile)?;
    let bytes =
        std::fs::metadata(&program).with_context(|| format!("cannot read {}", program.display()))?.len();
    check_size(bytes, if profile == TRIAL { LARGEST_TRIAL } else { LARGEST_PROGRAM })?;
    println!("{profile}: {:.1} MB", bytes as f64 / 1e6);
    Ok(())
}

/// Builds the program with one of the profiles. Returns its path.
pub(crate) fn build(profile: &str) -> Result<PathBuf> {
    let mut build = repository::cargo();
    build.args(["build", "--profile", profile, "--package", "tabiya"]);
    build.args(["--message-format", "json-render-diagnostics"]);
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
        if let Some(executable) = message["executable"].as_str() {
            program = Some(PathBuf::from(executable));
        }
    }
    if warnings > 0 {
        bail!("the release build has {warnings} warning(s), shown above; expected none");
    }
    program.context("cargo build named no program")
}

fn check_size(bytes: u64, most: u64) -> Result<()> {
    if bytes > most {
        bail!("the program has {bytes} bytes; expected at most {most}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_past_the_limit_is_an_error() {
        assert!(check_size(LARGEST_PROGRAM, LARGEST_PROGRAM).is_ok());
        let error = check_size(LARGEST_PROGRAM + 1, LARGEST_PROGRAM).unwrap_err().to_string();
        assert!(error.contains("75000001 bytes"), "{error}");
    }

    #[test]
    fn the_program_is_found_and_a_warning_is_an_error() {
        let artifact = r#"{"reason":"compiler-artifact","executable":"/target/release/tabiya"}"#;
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let warning = r#"{"reason":"compiler-message","message":{"level":"warning"}}"#;
        let program = read_messages(&format!("{library}\n{artifact}")).unwrap();
        assert_eq!(program, PathBuf::from("/target/release/tabiya"));
        let error = read_messages(&format!("{warning}\n{artifact}")).unwrap_err().to_string();
        assert!(error.contains("1 warning(s)"), "{error}");
        assert!(read_messages(library).is_err());
    }
}
