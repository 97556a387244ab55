//! The tests that `docs/seeds-checks.md` cites as proofs: each must exist.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::repository::{self, read};
use crate::sources::files_below;

/// The document whose tables cite a test in the last column.
const PAGE: &str = "docs/seeds-checks.md";
/// Headings of the last column of such tables.
const HEADINGS: [&str; 2] = ["test", "test here"];
/// Tests of the page, which are named by a sentence in quotes.
const PAGE_TESTS: &str = "crates/web/ui/tests";

/// Fails if a row cites a test that is neither a function of the sources, nor a file, nor a test of the page.
pub(super) fn check() -> Result<()> {
    let known = known()?;
    let cited = cited(&read(PAGE)?)?;
    let is_there =
        |test: &String| known.contains(test) || test.contains('/') && repository::root().join(test).exists();
    let missing: Vec<&String> = cited.iter().filter(|test| !is_there(test)).collect();
    ensure!(missing.is_empty(), "{PAGE} cites tests that do not exist: {missing:?}");
    Ok(())
}

/// The names of all functions of the workspace, and all quoted texts of the page's tests.
fn known() -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for folder in repository::members()? {
        for part in ["src", "tests"] {
            for file in files_of(&folder.join(part), "rs")? {
                names.extend(functions(&file).map(ToOwned::to_owned));
            }
        }
    }
    for file in files_of(&repository::root().join(PAGE_TESTS), "ts")? {
        names.extend(file.split('\'').map(ToOwned::to_owned));
    }
    Ok(names)
}

/// The texts of the files below a folder whose names end like this.
fn files_of(folder: &Path, extension: &str) -> Result<Vec<String>> {
    let files = files_below(folder)?.into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|found| found == extension));
    files
        .map(|file| std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display())))
        .collect()
}

/// The names of the functions in Rust code.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| Some(line.trim().strip_prefix("fn ")?.split_once('(')?.0))
}

/// The tests in the last column of a document's tables of tests; a row without a test has a link to a document instead.
fn cited(document: &str) -> Result<Vec<String>> {
    let (mut tests, mut in_table) = (Vec::new(), false);
    for line in document.lines() {
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else {
            in_table &= line.starts_with('|');
            continue;
        };
        let (_, last) = row.rsplit_once(" | ").context("a table has one column")?;
        if HEADINGS.contains(&last) {
            in_table = true;
        } else if in_table {
            let named: Vec<String> = last.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect();
            if named.is_empty() && !last.contains("](") {
                bail!("{PAGE}: found {last:?}, expected a test or a link in the row {row}");
            }
            tests.extend(named);
        }
    }
    ensure!(!tests.is_empty(), "{PAGE} cites no test");
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_those_of_the_last_column() {
        let document = "| # | test |\n|---|---|\n| `a` | `one`, `b/two.rs` |\n| b | [page](page.md) |\n\n\
                        | option | origin |\n|---|---|\n| `x` | `not_a_test` |\n";
        assert_eq!(cited(document).unwrap(), ["one", "b/two.rs"]);
        assert!(cited(&document.replace("[page](page.md)", "nothing")).is_err());
        assert!(cited("text").is_err());
    }

    #[test]
    fn a_test_that_was_renamed_is_unknown() {
        let text = "#[test]\n    fn repeated_rows_are_recognised() {\n    let fn_ = 1;\n";
        assert_eq!(functions(text).collect::<Vec<_>>(), ["repeated_rows_are_recognised"]);
        let known = known().unwrap();
        assert!(
            known.contains("a_test_that_was_renamed_is_unknown")
                && !known.contains("repeated_rows_are_counted")
        );
    }
}
