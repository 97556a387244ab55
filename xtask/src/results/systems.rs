//! The tables of the five systems whose experiments can be repeated: one in the README, one in `docs/seeds.md`.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Deserialize;

use super::between;

/// The document with the longer table and a section for each system.
pub(super) const PAGE: &str = "docs/seeds.md";
/// A table is between these lines.
const MARKS: [&str; 2] =
    ["<!-- systems: written by `cargo xtask results` -->\n", "<!-- end of systems -->\n"];

/// A system: its commands, and one number as it was published and as it was measured here. Cells cite stored results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct System {
    pub(super) name: String,
    /// Heading of its section in `docs/seeds.md`, as links name it.
    section: String,
    /// Command that plays against its network.
    play: String,
    /// Command that repeats its experiment.
    repeat: String,
    /// What the number is.
    number: String,
    theirs: String,
    /// What the network reaches that `play` names.
    ours: String,
    /// What its recipe reaches, with the schedule of the project.
    faithful: String,
    /// What a corrected recipe reaches.
    corrected: String,
    /// What a bundled network of Tabiya reaches.
    bundled: String,
    /// Rating of the network that `play` names.
    rating: String,
}

impl System {
    /// The texts in which results are cited.
    pub(super) fn cells(&mut self) -> Vec<&mut String> {
        vec![
            &mut self.theirs,
            &mut self.ours,
            &mut self.faithful,
            &mut self.corrected,
            &mut self.bundled,
            &mut self.rating,
        ]
    }
}

/// The table of the README: one figure a cell.
pub(super) fn overview(systems: &[System]) -> String {
    let head = "| | play against it | repeat it | its number | ours |\n|---|---|---|---|---|\n";
    let mut table = head.to_owned();
    for system in systems {
        let System { name, section, play, repeat, number, theirs, ours, .. } = system;
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| [{name}]({PAGE}#{section}) | `{play}` | `{repeat}` | {number}: {theirs} | {ours} |"
        );
    }
    table
}

/// The table of the numbers by kind of network.
pub(super) fn numbers(systems: &[System]) -> String {
    let head =
        "| | number | theirs | faithful | corrected | bundled | rating |\n|---|---|---|---|---|---|---|\n";
    let mut table = head.to_owned();
    for system in systems {
        let System { name, section, number, theirs, faithful, corrected, bundled, rating, .. } = system;
        let _ = writeln!(
            table,
            "| [{name}](#{section}) | {number} | {theirs} | {faithful} | {corrected} | {bundled} | {rating} |"
        );
    }
    table
}

/// The document with a table between its marks.
pub(super) fn with_table(document: &str, path: &str, table: &str) -> Result<String> {
    between(document, path, MARKS, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_a_row_of_both_tables() {
        let text = |text: &str| text.to_owned();
        let system = System {
            name: text("Catfish"),
            section: text("s2"),
            play: text("tabiya play"),
            repeat: text("tabiya run"),
            number: text("games lost"),
            theirs: text("4"),
            ours: text("0"),
            faithful: text("1"),
            corrected: text("2"),
            bundled: text("3"),
            rating: text("900"),
        };
        let systems = [system];
        let [begin, end] = MARKS;
        let written = with_table(&format!("{begin}old{end}"), PAGE, &overview(&systems)).unwrap();
        let row = "| [Catfish](docs/seeds.md#s2) | `tabiya play` | `tabiya run` | games lost: 4 | 0 |\n";
        assert!(written.starts_with(begin) && written.ends_with(&format!("{row}{end}")), "{written}");
        assert!(numbers(&systems).ends_with("| [Catfish](#s2) | games lost | 4 | 1 | 2 | 3 | 900 |\n"));
    }
}
