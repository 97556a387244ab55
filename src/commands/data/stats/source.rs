//! `tabiya data stats` of files that are not a store yet.

use std::{io::Write as _, path::PathBuf};

use census::statistics::{SourceStatistics, html};
use dataset::source::{BadRecord, input::Location, opening_names::OpeningNames};
use terminal::{SHOWN_BROKEN, progress_bar, statistics};

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
    let bar =
        progress_bar(Some(bytes), "{percent:>3} %  {bytes_per_sec} read, {elapsed} elapsed, {eta} left");
    let mut rejected = 0;
    let report_rejected = |bad: &BadRecord| {
        rejected += 1;
        if rejected <= SHOWN_BROKEN {
            // A closed stderr must not abort the count.
            bar.suspend(|| drop(writeln!(std::io::stderr(), "{bad}")));
        }
    };
    let counted =
        SourceStatistics::count(&locations, names, |bytes| bar.set_position(bytes), report_rejected)?;
    bar.finish_and_clear();
    if rejected > SHOWN_BROKEN {
        writeln!(std::io::stderr(), "and {} more broken records", rejected - SHOWN_BROKEN)?;
    }
    let title = inputs.iter().map(|input| input.display().to_string()).collect::<Vec<_>>().join(", ");
    let page = html::of_source(&title, &statistics::source_facts(&counted), &counted);
    let text = if as_json {
        serde_json::to_string_pretty(&counted)? + "\n"
    } else {
        statistics::of_source(&counted)
    };
    Ok((text, page))
}
