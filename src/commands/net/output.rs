//! The file that a command of `tabiya net` writes.

use std::{io::Write as _, path::Path};

use anyhow::{Context as _, Result, bail, ensure};

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

/// Writes a drawing and says so.
///
/// # Errors
/// As [`check`], and those of writing.
pub(super) fn write_svg(file: &Path, drawing: &str, replace: bool) -> Result<()> {
    check(file, &["svg"], replace)?;
    output::write(file, drawing).with_context(|| format!("cannot write {}", file.display()))?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    Ok(())
}
