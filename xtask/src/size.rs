//! `cargo xtask size`: the release binary stays small enough to hand to somebody.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::metadata::Workspace;

/// Most bytes the default release binary may have; heavy parts go behind features.
const LARGEST_BINARY: u64 = 60_000_000;

/// Builds the release binary and compares its size with the limit.
pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::load()?;
    let start = Instant::now();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "tabiya"])
        .current_dir(&workspace.root)
        .status()
        .context("cannot start cargo build")?;
    if !status.success() {
        bail!("cargo build --release ended with {status}");
    }
    let binary = workspace.target_directory.join("release").join(binary_name());
    let bytes =
        std::fs::metadata(&binary).with_context(|| format!("cannot read {}", binary.display()))?.len();
    judge(bytes)?;
    println!("size: {:.1} MB, built in {:.0} s", bytes as f64 / 1e6, start.elapsed().as_secs_f64());
    Ok(())
}

fn binary_name() -> PathBuf {
    PathBuf::from("tabiya").with_extension(std::env::consts::EXE_EXTENSION)
}

fn judge(bytes: u64) -> Result<()> {
    if bytes > LARGEST_BINARY {
        bail!("the release binary has {bytes} bytes; expected at most {LARGEST_BINARY}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_past_the_limit_is_an_error() {
        assert!(judge(LARGEST_BINARY).is_ok());
        let error = judge(LARGEST_BINARY + 1).unwrap_err().to_string();
        assert!(error.contains("60000001 bytes"), "{error}");
    }
}
