//! The walls of the house: who may import whom, where heavy dependencies and `unsafe` may live, how
//! dependencies are named, how long a file may get and what nothing may be called. A rule that is not checked by a machine is gone after a month.

mod imports;
mod lints;
mod pins;
mod sources;
mod tables;

use std::fmt;

use anyhow::{Result, bail};

use crate::metadata::Workspace;

/// One broken wall, with all a reader needs to mend it.
#[derive(Debug, PartialEq, Eq)]
struct Violation {
    /// The file the fault is in, from the repository's root; with the crate or line where there is one.
    place: String,
    found: String,
    expected: String,
    why: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, found, expected, why } = self;
        write!(f, "{place}: {found}\n    expected: {expected}\n    why: {why}")
    }
}

/// Checks all walls; the error lists every violation, not only the first.
pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::load()?;
    let mut violations = imports::judge(&workspace);
    violations.extend(lints::judge(&workspace)?);
    violations.extend(pins::judge(&workspace)?);
    let (files, in_sources) = sources::judge(&workspace)?;
    violations.extend(in_sources);
    if !violations.is_empty() {
        let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
        bail!("{} broken wall(s):\n\n{}", list.len(), list.join("\n\n"));
    }
    println!("walls: {} crates and {files} source files, no wall broken", workspace.packages.len());
    Ok(())
}
