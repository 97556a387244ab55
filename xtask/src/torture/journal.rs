//! Results of the rounds, one line of JSON each, so that rounds are counted over several runs of this command.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

/// A finished round.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Line {
    pub(crate) round: u64,
    pub(crate) fault: String,
    pub(crate) work: String,
    /// Times that the fault was caused.
    pub(crate) faults: u32,
    /// Description of the problem found, if any.
    pub(crate) found: Option<String>,
}

/// Settings shared by all rounds.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct Setup {
    seed: u64,
    /// Length and time of the program's file: other programs have separate journals.
    program: String,
}

pub(crate) struct Journal {
    file: File,
    lines: Vec<Line>,
}

impl Journal {
    /// Opens the journal of a folder, or begins one.
    ///
    /// # Errors
    /// If it belongs to another program or seed.
    pub(crate) fn open(folder: &Path, program: &Path, seed: u64) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let data = program.metadata().with_context(|| format!("cannot look at {}", program.display()))?;
        let program = format!("{} bytes, {:?}", data.len(), data.modified()?);
        let (setup, path) = (Setup { seed, program }, folder.join("setup.json"));
        if path.exists() {
            let found: Setup =
                serde_json::from_str(&std::fs::read_to_string(&path)?).context("setup.json")?;
            ensure!(
                found == setup,
                "{} holds rounds of {found:?}, not of {setup:?}; remove it, or name another folder with --state",
                folder.display()
            );
        } else {
            std::fs::write(&path, serde_json::to_string(&setup)?).context("cannot write setup.json")?;
        }
        let path = folder.join("rounds.jsonl");
        let text = if path.exists() { std::fs::read_to_string(&path)? } else { String::new() };
        // The last line may be incomplete; its round is repeated.
        let lines: Vec<Line> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).context("cannot open rounds.jsonl")?;
        if !(text.is_empty() || text.ends_with('\n')) {
            file.write_all(b"\n")?;
        }
        Ok(Self { file, lines })
    }

    /// The number of the next round.
    pub(crate) fn next(&self) -> u64 {
        self.lines.iter().map(|line| line.round + 1).max().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, line: Line) -> Result<()> {
        writeln!(self.file, "{}", serde_json::to_string(&line)?).context("cannot note the round")?;
        self.lines.push(line);
        Ok(())
    }

    pub(crate) fn rounds(&self) -> usize {
        self.lines.len()
    }

    /// The number of rounds in which something was found.
    pub(crate) fn found(&self) -> usize {
        self.lines.iter().filter(|line| line.found.is_some()).count()
    }

    /// Rounds, faults and findings by fault and command.
    pub(crate) fn table(&self) -> String {
        let mut rows: BTreeMap<(&str, &str), Row> = BTreeMap::new();
        for line in &self.lines {
            for work in [line.work.as_str(), "all"] {
                let row = rows.entry((&line.fault, work)).or_default();
                row.rounds += 1;
                row.faults += line.faults;
                row.found += usize::from(line.found.is_some());
            }
        }
        let mut text =
            format!("{:<14} {:<10} {:>7} {:>7} {:>7}", "fault", "command", "rounds", "faults", "found");
        for ((fault, work), Row { rounds, faults, found }) in rows {
            let _ = write!(text, "\n{fault:<14} {work:<10} {rounds:>7} {faults:>7} {found:>7}");
        }
        text
    }
}

/// Sums over the rounds of one fault and one command.
#[derive(Default)]
struct Row {
    rounds: usize,
    faults: u32,
    /// Rounds in which something was found.
    found: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_counted_over_several_runs_and_half_a_line_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, "x").unwrap();
        let line = |round, found: Option<&str>| Line {
            round,
            fault: "kill".into(),
            work: "build".into(),
            faults: 2,
            found: found.map(str::to_owned),
        };
        let mut journal = Journal::open(folder.path(), &program, 1).unwrap();
        journal.add(line(0, None)).unwrap();
        journal.add(line(1, Some("lost"))).unwrap();
        drop(journal);
        let path = folder.path().join("rounds.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut journal = Journal::open(folder.path(), &program, 1).unwrap();
        assert_eq!(journal.next(), 1);
        journal.add(line(1, Some("lost"))).unwrap();
        let journal = Journal::open(folder.path(), &program, 1).unwrap();
        assert_eq!((journal.next(), journal.rounds(), journal.found()), (2, 2, 1));
        assert!(
            journal.table().contains("kill           build            2       4       1"),
            "{}",
            journal.table()
        );
        assert!(Journal::open(folder.path(), &program, 2).is_err(), "another seed");
    }
}
