//! Building a sample store: progress, broken records and a summary.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
    time::Duration,
};

use census::statistics::rejected_text;
use chess::StopSignal;
use dataset::{
    BuildObserver, Manifest,
    source::{BadRecord, PositionRules},
    store::manifest::Counts,
};
use files::OutputError;
use indicatif::{HumanBytes, HumanCount, ProgressBar};

use crate::{
    error::TerminalError,
    progress_bar::{print_line, progress_bar},
};

/// Broken records shown on the terminal; all of them go to the requested file.
pub const SHOWN_BROKEN: u64 = 10;

/// Shows progress and broken records.
pub struct BuildProgress {
    bar: ProgressBar,
    stop: StopSignal,
    rejected: u64,
    report: Option<BufWriter<File>>,
    report_failure: Option<std::io::Error>,
}

impl BuildProgress {
    /// An observer of a build that `stop` ends. Broken records also go to the file `report`.
    ///
    /// # Errors
    /// [`TerminalError::File`] if that cannot be created.
    pub fn new(report: Option<&Path>, stop: StopSignal) -> Result<Self, TerminalError> {
        // Written during the build, because the records may exceed memory. After a kill the file is readable
        // up to its end; the file of an earlier build is truncated at the start.
        let report = report
            .map(|path| File::create(path).map(BufWriter::new).map_err(OutputError::io("create", path)));
        let bar = progress_bar(None, "{msg}  {bytes_per_sec} read, {elapsed} elapsed");
        Ok(Self { bar, stop, rejected: 0, report: report.transpose()?, report_failure: None })
    }

    /// Reports how many broken records were not shown, and whether all are in the file `path`.
    ///
    /// # Errors
    /// [`TerminalError::File`] if they are not.
    pub fn finish(&mut self, path: Option<&Path>) -> Result<(), TerminalError> {
        self.bar.finish_and_clear();
        if self.rejected > SHOWN_BROKEN {
            let more = self.rejected - SHOWN_BROKEN;
            let hint = if path.is_some() { "" } else { "; --rejected FILE lists all" };
            print_line(&format!("and {more} more broken records{hint}"));
        }
        let written = self.report_failure.take().map_or(Ok(()), Err);
        Ok(written.map_err(OutputError::io("write", path.unwrap_or(Path::new(""))))?)
    }
}

impl BuildObserver for BuildProgress {
    fn begins(&mut self, bytes: u64) {
        if bytes > 0 {
            let text = "{percent:>3} %  {msg}  {bytes_per_sec} read, {elapsed} elapsed, {eta} left";
            self.bar = progress_bar(Some(bytes), text);
        }
    }

    fn progress(&mut self, counts: &Counts, bytes_read: u64) {
        self.bar.set_position(bytes_read);
        let seconds = self.bar.elapsed().as_secs_f64().max(f64::EPSILON);
        let rate = HumanCount((counts.positions as f64 / seconds) as u64);
        self.bar.set_message(format!("{} positions, {rate}/s", HumanCount(counts.positions)));
    }

    fn rejected(&mut self, game: &BadRecord) {
        self.rejected += 1;
        if self.rejected <= SHOWN_BROKEN {
            self.bar.suspend(|| print_line(&game.to_string()));
        }
        if let Some(report) = &mut self.report
            && let Err(error) = writeln!(report, "{game}")
        {
            // Kept until the build ends, and ends it: an observer cannot return an error, and a report with a gap would look complete.
            self.report_failure = Some(error);
            self.report = None;
        }
    }

    fn stopped(&self) -> bool {
        self.report_failure.is_some() || self.stop.is_stopped()
    }

    fn before_publishing(&mut self) -> std::io::Result<()> {
        self.report.as_mut().map_or(Ok(()), std::io::Write::flush)
    }
}

/// Summary of a build, in a few lines.
pub fn build_summary(output: &Path, manifest: &Manifest, elapsed: Duration) -> String {
    let counts = &manifest.counts;
    let bytes: u64 = manifest.train.iter().chain(&manifest.validation).map(|file| file.bytes).sum();
    let rejected = rejected_text(&counts.rejected);
    let seconds = elapsed.as_secs_f64();
    let repaired = match manifest.settings.rules {
        PositionRules::Strict => "",
        PositionRules::Repaired => "impossible positions were repaired, so some moves may be wrong\n",
    };
    let left_out = match (counts.repeats, counts.leaks) {
        (0, 0) => String::new(),
        (repeats, leaks) => {
            let (repeats, leaks) = (HumanCount(repeats), HumanCount(leaks));
            format!(
                "left out {repeats} positions that were stored often enough and {leaks} leaks of the validation split\n"
            )
        }
    };
    let doubts = match &counts.doubts {
        doubts if doubts.is_empty() => String::new(),
        doubts => format!("left out labels whose meaning is in doubt: {doubts}\n"),
    };
    let reasons = match counts.left_out_text() {
        reasons if reasons.is_empty() => reasons,
        reasons => format!(" ({reasons})"),
    };
    let records = if counts.games == counts.positions { "records" } else { "games" };
    format!(
        "{}: {} positions of {} {records}, {} of them for validation\n\
         read {} {records}: {} repeated, {} filtered out{reasons}, broken: {rejected}\n\
         {doubts}{left_out}{} in {seconds:.1} s: {} positions/s, {:.1} bytes a position\n{repaired}",
        output.display(),
        HumanCount(counts.positions),
        HumanCount(counts.games),
        HumanCount(counts.validation_games),
        HumanCount(counts.games_read),
        HumanCount(counts.duplicates),
        HumanCount(counts.filtered),
        HumanBytes(bytes),
        HumanCount((counts.positions as f64 / seconds) as u64),
        bytes as f64 / counts.positions as f64,
    )
}
