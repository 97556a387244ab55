use std::{
    fmt,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::Result;
use files::run::ResultKind;
use indicatif::ProgressBar;
use player::{PlayerSpecification, help, identity};
use serde::Serialize;
use strength::{
    Problems,
    panel::Panel,
    puzzles::{PuzzleResult, play_puzzles},
    read_problems,
    suite::{SuiteResult, play_suite},
};
use terminal::{print_line, progress_bar, stop_on_interrupt};

use crate::commands::{
    json_of,
    machine::{machine, program},
    print_result,
};

/// Solve test positions and puzzles.
///
/// Reads EPD suites (bm, am, scored moves) and Lichess puzzle files (CSV), plain, .gz, .bz2 or .zst; lines that cannot be read are skipped
/// and counted. A puzzle is solved if all
/// moves of its line are found; another move is accepted if it mates. Every share is given with its 95 % interval and with the shares of a
/// random and a greedy mover; puzzles also give a rating.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya suite default,nodes=800 wac.epd sts.epd\n  tabiya suite \
    default,movetime=100 lichess_db_puzzle.csv.zst --sample 2000", help()))]
pub(crate) struct Arguments {
    /// Player to test
    player: PlayerSpecification,
    /// EPD suites and puzzle files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take N positions of each file at random, the same in every run
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    sample: Option<usize>,
    /// Positions to search in parallel
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The output of `--json`.
#[derive(Serialize)]
struct SuiteReport {
    kind: &'static str,
    player: String,
    identity: Vec<(String, String)>,
    pace: String,
    /// `None`: every position.
    sample: Option<usize>,
    /// Lines of all files that could not be read.
    skipped: u64,
    machine: String,
    program: String,
    seconds: f64,
    suites: Vec<SuiteResult>,
    puzzles: Vec<PuzzleResult>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let contestant = arguments.player.contestant_for_positions()?;
    let started = Instant::now();
    let mut report = SuiteReport {
        kind: ResultKind::Suite.text(),
        player: arguments.player.to_string(),
        identity: identity(&arguments.player),
        pace: contestant.pace.to_string(),
        sample: arguments.sample,
        skipped: 0,
        machine: machine(),
        program: program(),
        seconds: 0.0,
        suites: Vec::new(),
        puzzles: Vec::new(),
    };
    // All files are read first, so that an invalid last file does not waste hours on the others.
    let files =
        arguments.files.iter().map(|path| read(path, arguments.sample)).collect::<Result<Vec<_>>>()?;
    report.skipped = files.iter().map(|file| file.skipped).sum();
    let stop = stop_on_interrupt()?;
    let threads = usize::from(arguments.threads);
    for ProblemFile { name, problems, count, .. } in files {
        let bar = bar(count, &name);
        let panel = Panel { contestant: &contestant, threads, stop: &stop, observe: &|| bar.inc(1) };
        match problems {
            Problems::Suite(suite) => report.suites.push(play_suite(&panel, &name, &suite.found)?),
            Problems::Puzzles(puzzles) => report.puzzles.push(play_puzzles(&panel, &name, &puzzles.found)?),
        }
        bar.finish_and_clear();
    }
    report.seconds = started.elapsed().as_secs_f64();
    let shown = if arguments.json { json_of(&report)? } else { report.to_string() };
    print_result(&shown)
}

/// A file with the number of its positions and that of the lines that could not be read.
struct ProblemFile {
    name: String,
    problems: Problems,
    count: usize,
    skipped: u64,
}

fn read(path: &Path, sample: Option<usize>) -> Result<ProblemFile> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let problems = read_problems(path, sample)?;
    let (count, skipped) = match &problems {
        Problems::Suite(suite) => (suite.found.len(), &suite.skipped),
        Problems::Puzzles(puzzles) => (puzzles.found.len(), &puzzles.skipped),
    };
    if skipped.count > 0 {
        print_line(&format!("{}: {skipped}", path.display()));
    }
    let skipped = skipped.count;
    Ok(ProblemFile { name, problems, count, skipped })
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number: &usize| number > 0);
    number.ok_or_else(|| "expected a whole number above 0".into())
}

pub(crate) fn bar(positions: usize, name: &str) -> ProgressBar {
    let bar = progress_bar(Some(positions as u64), "{pos}/{len} {msg}, {elapsed} elapsed, {eta} left");
    bar.set_message(name.to_string());
    bar
}

impl fmt::Display for SuiteReport {
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
