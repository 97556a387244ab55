//! The part of `cargo metadata` the checks read: workspace members and what each of them declares.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// The workspace as Cargo describes it.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// Members only: the metadata is asked for with `--no-deps`.
    pub(crate) packages: Vec<Package>,
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    /// Where Cargo builds, which an environment variable may have moved out of the workspace.
    pub(crate) target_directory: PathBuf,
}

/// One workspace member.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    /// As declared, so optional and platform-specific ones are here too.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One declared dependency.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The real package name, whatever it is renamed to.
    pub(crate) name: String,
    /// `None` for an ordinary dependency, else `"dev"` or `"build"`.
    pub(crate) kind: Option<String>,
}

impl Workspace {
    /// Asks Cargo about the workspace this tool was built from.
    pub(crate) fn load() -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .context("cannot start cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
        }
        serde_json::from_slice(&output.stdout).context("cannot read the output of cargo metadata")
    }

    /// `path` as a reader of the repository writes it.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

impl Package {
    /// The folder that holds the manifest.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }
}

impl Dependency {
    /// What a manifest calls the table this stands in.
    pub(crate) fn table(&self) -> String {
        self.kind.as_deref().map_or_else(|| "dependencies".to_owned(), |kind| format!("{kind}-dependencies"))
    }
}
