//! Folder of a run.

use std::path::{Path, PathBuf};

use crate::error::ApiError;

/// The folder of a run. Names with separators or leading dots lead elsewhere and are not runs.
pub(super) fn run_folder(runs: &Path, name: &str) -> Result<PathBuf, ApiError> {
    let plain = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|letter| letter.is_alphanumeric() || "-_.+ @".contains(letter));
    let folder = runs.join(name);
    if plain && folder.is_dir() { Ok(folder) } else { Err(ApiError::missing("run", name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_no_runs() {
        let parent = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(parent.path().join("runs/mini")).unwrap();
        std::fs::create_dir(parent.path().join("other")).unwrap();
        let runs = parent.path().join("runs");
        assert!(run_folder(&runs, "mini").is_ok());
        for name in ["", ".", "..", "../other", "/etc", "mini/../../other", "..%2fother"] {
            assert!(run_folder(&runs, name).is_err(), "{name}");
        }
    }
}
