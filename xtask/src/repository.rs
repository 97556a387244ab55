//! The repository that this tool was built from: its folder, its crates and the programs it runs there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// The folder of the root manifest.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"))
}

/// The text of a file, whose path is relative to the root.
pub(crate) fn read(place: &str) -> Result<String> {
    std::fs::read_to_string(root().join(place)).with_context(|| format!("cannot read {place}"))
}

/// The folders of all workspace members: the root package, `xtask` and everything in `crates`.
pub(crate) fn members() -> Result<Vec<PathBuf>> {
    let crates = root().join("crates");
    let mut folders = vec![root().to_owned(), root().join("xtask")];
    for entry in crates.read_dir().with_context(|| format!("cannot list {}", crates.display()))? {
        folders.push(entry.with_context(|| format!("cannot list {}", crates.display()))?.path());
    }
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.sort();
    Ok(folders)
}

/// A program that will run in the repository's root, as from a shell: without the variables in which Cargo describes this package.
/// Build scripts that read them (that of `ring`) would run again under a Cargo that the program starts, and everything that depends
/// on them would be compiled again, each time after a shell's Cargo.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
}

/// The Cargo that runs this tool.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program to its end; its output is shown as it comes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = describe(command);
    let status = command.status().with_context(|| format!("cannot start {line}"))?;
    if !status.success() {
        bail!("{line} ended with {status}");
    }
    Ok(())
}

/// Runs a program and returns its stdout, without the line break at the end; its stderr is shown.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = describe(command);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {line}"))?;
    let text = String::from_utf8(output.stdout).with_context(|| format!("{line} printed no UTF-8"))?;
    if !output.status.success() {
        bail!("{line} ended with {}:\n{text}", output.status);
    }
    Ok(text.trim_end().to_owned())
}

/// The command line as a reader would type it.
fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_not_told_which_package_runs() {
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some(), "the Cargo that runs the tests tells them");
        for program in [cargo(), program("scripts/python-package")] {
            for name in ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR"] {
                let removed = program.get_envs().any(|(variable, value)| variable == name && value.is_none());
                assert!(removed, "{name}: {}", describe(&program));
            }
        }
    }

    #[test]
    fn a_program_that_fails_is_named_with_its_arguments_and_status() {
        let error = run(cargo().args(["no-such-subcommand", "x"])).unwrap_err().to_string();
        assert!(error.contains("no-such-subcommand x ended with exit status"), "{error}");
        let error = run(&mut program("no-such-program-tabiya")).unwrap_err().to_string();
        assert_eq!(error, "cannot start no-such-program-tabiya");
    }

    #[test]
    fn the_root_and_every_crate_are_members() {
        let members = members().unwrap();
        for folder in ["", "xtask", "crates/chess", "crates/web"] {
            assert!(members.contains(&root().join(folder)), "{folder}: {members:?}");
        }
    }
}
