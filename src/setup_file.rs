//! What a resumable command was asked for, kept beside what it has done so far.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::output_file::OutputFile;

/// Writes the settings of a command that begins.
pub(crate) fn write(path: &Path, setup: &Value) -> Result<()> {
    OutputFile::open(path)?.finish(&serde_json::to_string_pretty(setup)?)
}

/// Refuses to go on under other settings than those that `path` holds, naming the first that differs.
pub(crate) fn must_equal(path: &Path, setup: &Value) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let before: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    let (Some(before), Some(now)) = (before.as_object(), setup.as_object()) else {
        bail!("{}: expected a JSON object", path.display());
    };
    for key in before.keys().chain(now.keys()) {
        let (old, new) = (before.get(key).unwrap_or(&Value::Null), now.get(key).unwrap_or(&Value::Null));
        ensure!(
            old == new,
            "cannot go on: {} was started with {key} = {old}, not {new}",
            path.parent().unwrap_or(path).display()
        );
    }
    Ok(())
}
