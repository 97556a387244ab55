//! Writes a store from the rows of a query.

use std::{fmt::Write as _, io::Write, num::NonZeroUsize, path::Path, process::ExitCode};

use indicatif::{HumanBytes, HumanCount};
use query::{Derived, StoreRows};

use super::{
    Arguments,
    answer::{Question, ask, open},
};
use crate::commands::INTERRUPTED;

/// Runs the command with `--store`.
pub(super) fn run(arguments: &Arguments, output: &Path, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let made = dataset::store::make(output, |output| derive(arguments, output))?;
    let Some(derived) = made else { return Ok(ExitCode::from(INTERRUPTED)) };
    write!(out, "{}", summary(output, &derived))?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the store; `None` after Ctrl-C.
fn derive(arguments: &Arguments, output: &Path) -> anyhow::Result<Option<Derived>> {
    let Question { sql, stores } = Question::of(arguments)?;
    let threads = match &arguments.cluster {
        Some(_) => arguments.threads,
        None => Some(in_order(arguments.threads)?),
    };
    let session = open(arguments, &stores, threads)?;
    let rows = ask(arguments, &session, sql, StoreRows::new(output, &stores))?;
    Ok(rows.map(|rows| rows.finish(sql)).transpose()?)
}

/// Several threads would return the rows in a different order each time, and games in pieces.
fn in_order(threads: Option<NonZeroUsize>) -> anyhow::Result<NonZeroUsize> {
    let threads = threads.unwrap_or(NonZeroUsize::MIN);
    anyhow::ensure!(
        threads == NonZeroUsize::MIN,
        "--threads: found {threads}, expected 1 or none with --store, whose rows are always in the same order"
    );
    Ok(threads)
}

fn summary(output: &Path, derived: &Derived) -> String {
    let Derived { manifest, parted_games } = derived;
    let counts = &manifest.counts;
    let bytes: u64 = manifest.train.iter().chain(&manifest.validation).map(|file| file.bytes).sum();
    let mut text = format!(
        "{}: {} training and {} validation positions of {} records, {} of them for validation; {}\n",
        output.display(),
        HumanCount(counts.positions - counts.validation_positions),
        HumanCount(counts.validation_positions),
        HumanCount(counts.games),
        HumanCount(counts.validation_games),
        HumanBytes(bytes),
    );
    if *parted_games > 0 {
        let _ = writeln!(
            text,
            "{} times a game continues after samples of other games; statistics of games see only its first part (end the query \
             with ORDER BY game, ply to keep games together)",
            HumanCount(*parted_games)
        );
    }
    text
}
