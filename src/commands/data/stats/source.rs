//! Statistics of files that are no store yet.

use std::{fmt::Write as _, io::Write as _, path::PathBuf};

use dataset::source::{BadRecord, input::Location, opening_names::OpeningNames};
use indicatif::HumanCount;
use labelling::{SourceStatistics, statistics::Bar};
use terminal::progress_bar;

use super::{draw, html, openings};

/// Broken records shown on the terminal.
const SHOWN_REJECTED: u64 = 10;

/// The statistics of the inputs as text or JSON, and as a page.
pub(super) fn run(
    inputs: &[PathBuf],
    names: Option<&OpeningNames>,
    as_json: bool,
) -> anyhow::Result<(String, String)> {
    let mut locations = Vec::new();
    for input in inputs {
        locations.extend(Location::all(input)?);
    }
    let bytes = locations.iter().map(Location::bytes).sum();
    let bar = progress_bar(Some(bytes), "{percent:>3} %  {bytes_per_sec} read, {elapsed} gone, {eta} left");
    let mut rejected = 0;
    let report_rejected = |bad: &BadRecord| {
        rejected += 1;
        if rejected <= SHOWN_REJECTED {
            // Losing a message because stderr is closed is no reason to lose the count.
            bar.suspend(|| drop(writeln!(std::io::stderr(), "{bad}")));
        }
    };
    let statistics =
        SourceStatistics::count(&locations, names, |bytes| bar.set_position(bytes), report_rejected)?;
    bar.finish_and_clear();
    if rejected > SHOWN_REJECTED {
        writeln!(std::io::stderr(), "and {} more broken records", rejected - SHOWN_REJECTED)?;
    }
    let title = inputs.iter().map(|input| input.display().to_string()).collect::<Vec<_>>().join(", ");
    let page = html::of_source(&title, &statistics);
    let text = if as_json { serde_json::to_string_pretty(&statistics)? + "\n" } else { report(&statistics) };
    Ok((text, page))
}

/// The statistics for reading.
fn report(statistics: &SourceStatistics) -> String {
    let mut text = String::new();
    for (name, value) in lines(statistics) {
        let _ = writeln!(text, "{name:<12} {value}");
    }
    let bars = |bars: &[Bar]| -> Vec<(String, u64)> {
        bars.iter().map(|bar| (bar.from.to_string(), bar.count)).collect()
    };
    draw(&mut text, "games by rating", &bars(&statistics.ratings));
    draw(&mut text, "games by half-moves", &bars(&statistics.lengths));
    text + &openings(&statistics.openings)
}

/// What is counted, by name.
pub(super) fn lines(statistics: &SourceStatistics) -> Vec<(&'static str, String)> {
    let count = |value: u64| HumanCount(value).to_string();
    let results = &statistics.results;
    let rejected = statistics.rejected.iter().map(|(reason, records)| format!("{} {records}", reason.name()));
    let rejected = rejected.collect::<Vec<_>>().join(", ");
    vec![
        ("games", format!("{}, {} half-moves", count(statistics.games), count(statistics.plies))),
        ("positions", format!("{} of no game", count(statistics.positions))),
        ("broken", if rejected.is_empty() { "none".into() } else { rejected }),
        (
            "results",
            format!(
                "White {}, draw {}, Black {}, unknown {}",
                results.white, results.draw, results.black, results.unknown
            ),
        ),
        (
            "repeated",
            format!(
                "{} names, {} rows, {} games by their moves, {} positions",
                statistics.repeated_names,
                statistics.repeated_rows,
                statistics.repeated_games,
                statistics.repeated_positions
            ),
        ),
    ]
}
