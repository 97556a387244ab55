use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use chess::Speed;
use files::Inputs;
use player::with_network;
use review::ReviewScale;
use review::calibration::{Band, KeptReviews, RatedGames, ReviewedGame, bands, fit, halves, review, table};
use search::Puct;
use serde_json::{Value, json};
use terminal::stop_on_interrupt;

use crate::commands::{
    engine_arguments::EngineArguments,
    machine::{machine, program},
    named::named,
    suite::{at_least_one, bar},
};

/// Review rated games: accuracy and marked moves by rating.
///
/// Every position is searched with the same number of visits, as Review does on the analysis board. The result shows for each
/// rating band how accurate its games are and how many moves are marked. --fit fits the scale of accuracies and marks to every
/// second game and reports the others by it. --keep saves each game's review, so a long run can be resumed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya review games.pgn.zst --sample 400\n  tabiya review games.pgn.zst --speed blitz,rapid,classical --nodes 50 --keep reviews.jsonl --fit"
)]
pub(crate) struct Arguments {
    /// Games with ratings: PGN, plain, .gz, .bz2, .zst or .zip
    games: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
    /// Visits per position
    #[arg(long, default_value_t = ReviewedGame::NODES, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    nodes: u64,
    /// Take N games at random, the same in every run
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    sample: Option<usize>,
    /// Only games at these Lichess speeds, each of which has its own ratings: ultra-bullet, bullet, blitz, rapid, classical
    #[arg(long, value_name = "SPEED", value_delimiter = ',', value_parser = speed)]
    speed: Vec<Speed>,
    /// Width of a band in rating points
    #[arg(long, default_value_t = Band::WIDTH, value_name = "POINTS", value_parser = clap::value_parser!(u16).range(10..=4000))]
    band: u16,
    /// Keep the reviews in this file, and reuse those already in it
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Fit the scale to every second game and report the others by it
    #[arg(long)]
    fit: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let started = Instant::now();
    let opened = arguments.engine.open()?;
    ensure!(
        opened.evaluator.heads().value,
        "{}: found a network without a value, expected one with a value: a review compares values",
        opened.net
    );
    let setup = arguments.engine.search_setup(None)?;
    let mut search = Puct::new(opened.evaluator.clone(), &setup.options);
    search.set_tablebases(setup.tables);
    let RatedGames { games, skipped } =
        RatedGames::read(&arguments.games, arguments.sample, &arguments.speed)?;
    let stop = stop_on_interrupt()?;
    let bar = bar(games.len(), "games reviewed");
    let mut kept =
        arguments.keep.as_deref().map(|file| open_kept(arguments, &opened.describe(), file)).transpose()?;
    let mut reviewed = Vec::with_capacity(games.len());
    for game in games {
        let mut make = |game| review(game, arguments.nodes, &mut search, &stop);
        reviewed.push(match &mut kept {
            Some(kept) => kept.take_or(game, make)?,
            None => make(game)?,
        });
        bar.inc(1);
    }
    bar.finish_and_clear();
    let (scale, reported) = if arguments.fit {
        let (fitted, others) = halves(reviewed);
        (fit(&fitted)?, others)
    } else {
        (ReviewScale::CALIBRATED, reviewed)
    };
    let bands = bands(&reported, &scale, arguments.band);
    let report = ReviewReport {
        arguments,
        engine: opened.describe(),
        games: reported.len(),
        skipped,
        scale,
        bands,
        seconds: started.elapsed().as_secs_f64(),
    };
    let shown = if arguments.json { serde_json::to_string_pretty(&report.json())? } else { report.text() };
    writeln!(std::io::stdout(), "{shown}").context("cannot write the result to standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// The reviews that this network made with these options.
fn open_kept(arguments: &Arguments, engine: &str, file: &Path) -> Result<KeptReviews> {
    let EngineArguments { net, options, .. } = &arguments.engine;
    let mut inputs = with_network(Inputs::default(), net);
    for (name, value) in options.iter().filter(|(_, value)| Path::new(value).is_file()) {
        inputs = inputs.with_path(name, Path::new(value))?;
    }
    Ok(KeptReviews::open(file, engine, options, arguments.nodes, inputs)?)
}

/// Accuracy by rating and the conditions it was measured under, for JSON and text.
struct ReviewReport<'a> {
    arguments: &'a Arguments,
    engine: String,
    games: usize,
    skipped: u64,
    scale: ReviewScale,
    bands: Vec<Band>,
    seconds: f64,
}

impl ReviewReport<'_> {
    fn json(&self) -> Value {
        let Self { arguments, scale, .. } = self;
        json!({
            "kind": "tabiya-review-1",
            "engine": self.engine,
            "nodes": arguments.nodes,
            "source": arguments.games.display().to_string(),
            "sample": arguments.sample,
            "speeds": arguments.speed,
            "games": self.games,
            "skipped": self.skipped,
            "scale": { "limits": scale.limits, "rate": scale.rate, "fitted": arguments.fit },
            "bands": self.bands,
            "machine": machine(),
            "program": program(),
            "seconds": self.seconds,
        })
    }

    fn text(&self) -> String {
        let [inaccuracy, mistake, blunder] = self.scale.limits;
        format!(
            "{}, {} visits a position, {} games reported ({} without ratings or moves, of other speeds, or broken)\n\
             marks from losses of {inaccuracy:.1}, {mistake:.1}, {blunder:.1} points; accuracy falls at a rate of {:.4}\n{}\n{}",
            self.engine,
            self.arguments.nodes,
            self.games,
            self.skipped,
            self.scale.rate,
            table(&self.bands),
            machine()
        )
    }
}

fn speed(text: &str) -> Result<Speed, String> {
    named(Speed::NAMES, text)
}
