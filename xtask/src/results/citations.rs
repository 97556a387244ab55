//! Documents that link to a stored result: the paragraph or table row with the link must have the result's figures.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::stored::Stored;
use crate::repository;

/// Folder of the result files, as it appears at the end of links.
const FOLDER: &str = "results/";
const STORED: &str = "docs/experiments/results";
/// Folders with documents that cite results, searched with their subfolders.
const DOCUMENTS: [&str; 3] = ["docs", "recipes", "nets"];

/// Fails if a document that links to a result has other figures, or if a result is neither linked nor in `listed`.
pub(super) fn check(listed: &[&str]) -> Result<()> {
    let mut cited: BTreeSet<String> =
        listed.iter().filter_map(|file| Some(file.rsplit_once('/')?.1.to_owned())).collect();
    for folder in DOCUMENTS {
        check_folder(&repository::root().join(folder), &mut cited)?;
    }
    for entry in repository::root().join(STORED).read_dir().context(STORED)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        ensure!(cited.contains(&name), "{STORED}/{name}: no document links to it");
    }
    Ok(())
}

fn check_folder(folder: &Path, cited: &mut BTreeSet<String>) -> Result<()> {
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            check_folder(&path, cited)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(&path)?;
            cited.extend(check_text(&text, estimates).with_context(|| path.display().to_string())?);
        }
    }
    Ok(())
}

/// The figures of a stored result.
fn estimates(name: &str) -> Result<Vec<String>> {
    Stored::parse(&repository::read(&format!("{STORED}/{name}"))?)?.estimates()
}

/// Compares the citations of a document with the figures that `read` gives for a file name; returns the names.
fn check_text(text: &str, read: impl Fn(&str) -> Result<Vec<String>>) -> Result<Vec<String>> {
    let mut cited = Vec::new();
    for passage in passages(text) {
        for name in links(&passage) {
            let estimates = read(name)?;
            // A file with several ratings has its own table.
            let place = if estimates.len() == 1 { &passage } else { text };
            for estimate in estimates {
                ensure!(
                    place.contains(&estimate),
                    "the result {name} has {estimate}, which is not where it is linked"
                );
            }
            cited.push(name.to_owned());
        }
    }
    Ok(cited)
}

/// Paragraphs on one line each, and each table row separately.
fn passages(text: &str) -> Vec<String> {
    let mut passages = vec![String::new()];
    for line in text.lines() {
        if line.starts_with('|') || line.trim().is_empty() {
            passages.push(line.to_owned());
            passages.push(String::new());
        } else if let Some(passage) = passages.last_mut() {
            passage.push_str(line);
            passage.push(' ');
        }
    }
    passages
}

/// Names of the result files that a passage links to.
fn links(passage: &str) -> impl Iterator<Item = &str> {
    let targets = passage.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    targets.filter_map(|target| {
        let (_, name) = target.rsplit_once(FOLDER)?;
        name.strip_suffix(".json").and(Some(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<String>> {
        check_text(text, |name| {
            Ok(match name {
                "one.json" => vec!["2060 (1981 to 2146)".to_owned()],
                _ => vec!["1 (0 to 2)".to_owned(), "5 (4 to 6)".to_owned()],
            })
        })
    }

    #[test]
    fn a_link_stands_beside_its_figure() {
        assert_eq!(check("**2060 (1981 to\n2146)**, [games](results/one.json).\n").unwrap(), ["one.json"]);
        let row = "| [a](../docs/experiments/results/one.json) | 2060 (1981 to 2146) |\n";
        assert_eq!(check(row).unwrap(), ["one.json"]);
        let error = check("2060 (1981 to 2146)\n\n[result](results/one.json): 2061 (1981 to 2146)\n");
        assert!(error.unwrap_err().to_string().contains("one.json has 2060 (1981 to 2146)"));
        assert!(check("| 2060 (1981 to 2146) |\n| [a](results/one.json) |\n").is_err(), "another row");
    }

    #[test]
    fn several_ratings_stand_anywhere_in_the_document() {
        let text = "[levels](results/several.json)\n\n| 1 (0 to 2) |\n| 5 (4 to 6) |\n";
        assert_eq!(check(text).unwrap(), ["several.json"]);
        assert!(check("[levels](results/several.json)\n\n| 1 (0 to 2) |\n").is_err());
        assert!(check("[other](results.md) and [page](../results/other.md)").unwrap().is_empty());
    }
}
