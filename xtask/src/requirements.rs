//! Requirements of tests on the machine. Such a test carries `#[ignore = "needs ..."]` and a marker in its name; it is
//! run if the requirement is met and listed as skipped otherwise, so it never passes without having run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// One thing that a test may need.
pub(crate) struct Requirement {
    /// Part of the name of every test that needs it, as in `real_data_master_games_are_read`.
    pub(crate) marker: &'static str,
    find: fn(&Path) -> Result<Finding>,
}

/// Result of looking for a requirement.
pub(crate) enum Finding {
    /// It is there, and the tests find it through these environment variables.
    Met(Vec<(&'static str, OsString)>),
    /// It is missing; the text says why and what would change it.
    Missing(String),
}

/// All requirements; a test that needs two of them carries both markers.
pub(crate) const REQUIREMENTS: &[Requirement] = &[
    Requirement { marker: "real_data_", find: find_real_data },
    Requirement { marker: "python_", find: find_python },
    Requirement { marker: "stockfish_", find: find_stockfish },
    Requirement { marker: "built_page_", find: |root| Ok(find_built_page(root)) },
    Requirement { marker: "chromium_", find: find_chromium },
];

impl Requirement {
    /// Looks for it, starting from the repository's root.
    ///
    /// # Errors
    ///
    /// If the environment names something that does not exist: that is a mistake, not an absence.
    pub(crate) fn find(&self, root: &Path) -> Result<Finding> {
        (self.find)(root)
    }
}

/// The value of an environment variable; an empty one counts as not set.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The program that an environment variable names; `None` if it is not set.
fn program_named_by(name: &'static str, root: &Path) -> Result<Option<Finding>> {
    let Some(value) = variable(name) else { return Ok(None) };
    let program = root.join(value);
    if !program.is_file() {
        bail!("{name} names {}, which does not exist", program.display());
    }
    Ok(Some(Finding::Met(vec![(name, program.into())])))
}

fn find_real_data(root: &Path) -> Result<Finding> {
    let Some(value) = variable("TABIYA_DATA") else {
        return Ok(Finding::Missing(
            "TABIYA_DATA is not set (the folder of real games and networks)".to_owned(),
        ));
    };
    // Tests run in the folder of their own crate, so a relative path would mean something else there.
    let folder = root.join(value);
    if !folder.join("games").is_dir() {
        bail!("TABIYA_DATA names {}, expected a folder that holds the folder `games`", folder.display());
    }
    Ok(Finding::Met(vec![("TABIYA_DATA", folder.into())]))
}

fn find_python(root: &Path) -> Result<Finding> {
    if let Some(found) = program_named_by("TABIYA_PYTHON", root)? {
        return Ok(found);
    }
    let python = root.join(".venv/bin/python");
    Ok(if python.is_file() {
        Finding::Met(vec![("TABIYA_PYTHON", python.into())])
    } else {
        Finding::Missing("there is no .venv (`scripts/install-dependencies test` makes it)".to_owned())
    })
}

fn find_stockfish(_root: &Path) -> Result<Finding> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Debian installs games in a folder that is not on a root shell's path.
    folders.push(PathBuf::from("/usr/games"));
    if !folders.iter().any(|folder| folder.join("stockfish").is_file()) {
        let reason = "stockfish is not installed (`scripts/install-dependencies test` does it)";
        return Ok(Finding::Missing(reason.to_owned()));
    }
    Ok(Finding::Met(vec![("PATH", std::env::join_paths(folders)?)]))
}

/// The page as part of the program; without it the program holds a note that says how to build it.
fn find_built_page(root: &Path) -> Finding {
    if root.join("crates/web/ui/dist/index.html").is_file() {
        Finding::Met(Vec::new())
    } else {
        Finding::Missing("the page is not built (`scripts/build-page` does it)".to_owned())
    }
}

/// The names under which distributions install it.
const CHROMIUM_NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// A browser, and the compiled tests of the page that drive it.
fn find_chromium(root: &Path) -> Result<Finding> {
    if !root.join("crates/web/ui/build/tests/browser").is_dir() {
        let reason = "the page's tests are not compiled (`cargo xtask check page` does it)";
        return Ok(Finding::Missing(reason.to_owned()));
    }
    if let Some(found) = program_named_by("CHROMIUM", root)? {
        return Ok(found);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| CHROMIUM_NAMES.iter().map(move |name| folder.join(name)))
        .find(|candidate| candidate.is_file());
    Ok(match found {
        Some(browser) => Finding::Met(vec![("CHROMIUM", browser.into())]),
        None => Finding::Missing(
            "chromium is not installed (`scripts/install-dependencies test` does it)".to_owned(),
        ),
    })
}
