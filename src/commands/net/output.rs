//! The file that a command of `tabiya net` writes.

use std::path::Path;

use anyhow::{Result, bail, ensure};

/// Checks, before any work, that an output may be written: its ending is one of these, and nothing is there yet unless it may
/// be replaced.
///
/// # Errors
/// An error with the path, what was found and what was expected.
pub(super) fn check(output: &Path, endings: &[&str], replace: bool) -> Result<()> {
    let place = output.display();
    let ending = output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !endings.contains(&ending) {
        let known: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        bail!("{place}: found the ending {ending:?}, expected {}", known.join(" or "));
    }
    ensure!(replace || !output.exists(), "{place}: exists already; --force replaces it");
    Ok(())
}
