//! `tabiya suite`.

use std::{
    fmt,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use chess::StopSignal;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use strength::{
    Contestant,
    puzzles::{PuzzleResult, play_puzzles, read_puzzles},
    suite::{SuiteResult, play_suite, read_suite},
};

use crate::{
    machine::{machine, program},
    player::{PlayerSpecification, help, identity},
};

/// Solve test positions and puzzles.
///
/// Reads EPD suites (bm, am, scored moves) and Lichess puzzle files (.csv), plain, .gz or .zst. A puzzle is solved if the whole
/// line is found; another move is accepted if it mates. Every share has its 95 % interval and the shares of a random and a greedy
/// mover; puzzles also give a rating.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya suite default,nodes=800 wac.epd sts.epd\n  tabiya suite \
    default,movetime=100 lichess_db_puzzle.csv.zst --sample 2000", help()))]
pub(crate) struct Arguments {
    /// Player
    player: PlayerSpecification,
    /// EPD suites and puzzle files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Use about N positions of each file, evenly spread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Positions to search in parallel
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    player: String,
    identity: Vec<(String, String)>,
    pace: String,
    /// `None`: every position.
    sample: Option<u32>,
    machine: String,
    program: String,
    seconds: f64,
    suites: Vec<SuiteResult>,
    puzzles: Vec<PuzzleResult>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let contestant = arguments.player.contestant()?;
    ensure!(
        contestant.pace.clock.is_none(),
        "tc is a clock for a game; positions need nodes, depth or movetime"
    );
    let stop = StopSignal::default();
    let signal = stop.clone();
    ctrlc::set_handler(move || signal.stop()).context("cannot watch for Ctrl-C")?;
    let started = Instant::now();
    let mut report = Report {
        kind: "tabiya-suite-1",
        player: arguments.player.to_string(),
        identity: identity(&arguments.player),
        pace: contestant.pace.to_string(),
        sample: arguments.sample,
        machine: machine(),
        program: program(),
        seconds: 0.0,
        suites: Vec::new(),
        puzzles: Vec::new(),
    };
    for path in &arguments.files {
        play(path, arguments, (&contestant, &stop), &mut report)?;
        if stop.is_stopped() {
            bail!("interrupted; a suite counts only as a whole");
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    let shown = if arguments.json { serde_json::to_string_pretty(&report)? } else { report.to_string() };
    writeln!(std::io::stdout(), "{shown}").context("cannot write the result to standard output")?;
    Ok(ExitCode::SUCCESS)
}

fn play(
    path: &Path,
    arguments: &Arguments,
    (contestant, stop): (&Contestant, &StopSignal),
    report: &mut Report,
) -> Result<()> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let threads = (usize::from(arguments.threads), stop);
    if name.contains(".csv") {
        let puzzles = sampled(read_puzzles(path)?, arguments.sample);
        let bar = bar(puzzles.len(), &name);
        report.puzzles.extend(play_puzzles(contestant, (&name, &puzzles), threads, &mut || bar.inc(1))?);
        bar.finish_and_clear();
    } else {
        let positions = sampled(read_suite(path)?, arguments.sample);
        let bar = bar(positions.len(), &name);
        report.suites.extend(play_suite(contestant, (&name, &positions), threads, &mut || bar.inc(1))?);
        bar.finish_and_clear();
    }
    Ok(())
}

/// About `sample` of them, evenly spread.
pub(crate) fn sampled<T>(all: Vec<T>, sample: Option<u32>) -> Vec<T> {
    let count = all.len();
    let wanted = sample.map_or(count, |sample| sample as usize).min(count);
    let taken = |index: &usize| (index + 1) * wanted / count.max(1) > index * wanted / count.max(1);
    all.into_iter().enumerate().filter(|(index, _)| taken(index)).map(|(_, one)| one).collect()
}

/// The progress of so many positions.
pub(crate) fn bar(positions: usize, name: &str) -> ProgressBar {
    let bar = ProgressBar::new(positions as u64);
    let template = "{bar:20} {pos}/{len} {msg}, {elapsed} gone, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("the template is constant and valid"));
    bar.set_message(name.to_string());
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suite in &self.suites {
            writeln!(formatter, "{suite}")?;
        }
        for puzzles in &self.puzzles {
            writeln!(formatter, "{puzzles}")?;
        }
        let sample =
            self.sample.map(|sample| format!(", a sample of {sample} of each file")).unwrap_or_default();
        writeln!(
            formatter,
            "player {}: {} a position{sample}, {:.0} s",
            self.player, self.pace, self.seconds
        )?;
        write!(formatter, "{}; {}", self.machine, self.program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_evenly() {
        assert_eq!(sampled((0..10).collect(), Some(5)), [1, 3, 5, 7, 9]);
        assert_eq!(sampled((0..10).collect(), Some(3)), [3, 6, 9]);
        assert_eq!(sampled((0..4).collect(), Some(9)), [0, 1, 2, 3]);
        assert_eq!(sampled((0..4).collect(), None), [0, 1, 2, 3]);
        assert!(sampled(Vec::<u8>::new(), Some(3)).is_empty());
    }
}
