use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Result, ensure};
use chess::{Game, Search, Speed, StopSignal};
use files::Inputs;
use player::{PlayerSpecification, with_network};
use review::calibration::{
    Band, JudgedMove, KeptReviews, MarkQuality, RatedGames, ReviewedGame, bands, fit, halves, review, table,
};
use review::{GameReview, ReviewScale};
use search::Puct;
use serde_json::{Value, json};
use strength::{
    metrics::{JudgedPosition, loss::losses},
    panel::Panel,
};
use terminal::stop_on_interrupt;

use crate::commands::{
    engine_arguments::EngineArguments,
    machine::{machine, program, threads_or_all},
    named, print_result,
    suite::{at_least_one, bar},
};

/// Review rated games: accuracy and marked moves by rating, and how reliable the marks are.
///
/// Every position is searched with the same number of visits, and the positions around a marked move with ten times as many,
/// as Review does on the analysis board. The result shows for each rating band how accurate its games are and how many moves are marked.
/// --fit fits the scale of accuracies and marks to every second game and reports the others by it. --judge compares the marks
/// with the losses that another engine finds: the share of serious faults (20 points of win percentage and more) that are marked
/// ? or ??, and the share of marked moves that lose 8 points or more. --keep saves each game's review, so a long run can be
/// resumed. Reviews are the same for any number of threads.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya review games.pgn.zst --sample 400\n  tabiya review games.pgn.zst --speed blitz,rapid,classical --nodes 50 --keep reviews.jsonl --fit\n  tabiya review games --sample 200 --judge uci=stockfish,nodes=100000 --keep reviews.jsonl"
)]
pub(crate) struct Arguments {
    /// Games with ratings: PGN, plain, .gz, .bz2, .zst or .zip, or a folder of such files
    games: PathBuf,
    #[command(flatten)]
    engine: EngineArguments,
    /// Visits per position
    #[arg(long, default_value_t = GameReview::NODES, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
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
    /// Engine whose evaluations before and after each move, on Lichess's curve, measure the true loss
    #[arg(long, value_name = "PLAYER", conflicts_with = "fit")]
    judge: Option<PlayerSpecification>,
    /// Threads that search the positions of a game, each with a tree of its own, and positions that the judge evaluates in parallel;
    /// 0 = all cores
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(..=512))]
    threads: u16,
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
    let threads = threads_or_all(arguments.threads);
    let mut trees = Vec::with_capacity(threads);
    for _ in 0..threads {
        let mut tree = Puct::new(opened.evaluator.clone(), &setup.options);
        tree.set_tablebases(setup.tables.clone());
        trees.push(tree);
    }
    let mut searches: Vec<&mut dyn Search> = trees.iter_mut().map(|tree| tree as &mut dyn Search).collect();
    let RatedGames { games, skipped } =
        RatedGames::read(&arguments.games, arguments.sample, &arguments.speed)?;
    let stop = stop_on_interrupt()?;
    let bar = bar(games.len(), "games reviewed");
    let mut kept =
        arguments.keep.as_deref().map(|file| open_kept(arguments, &opened.describe(), file)).transpose()?;
    let (mut reviewed, mut played) = (Vec::with_capacity(games.len()), Vec::new());
    for game in games {
        if arguments.judge.is_some() {
            played.push(game.game.clone());
        }
        reviewed.push(match &mut kept {
            Some(kept) => kept.take_or(game, |game| review(game, arguments.nodes, &mut searches, &stop))?,
            None => review(game, arguments.nodes, &mut searches, &stop)?,
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
    let judge = arguments.judge.as_ref();
    let marks = judge.map(|judge| judged(judge, threads, &played, &reported, &stop)).transpose()?;
    let bands = bands(&reported, &scale, arguments.band);
    let report = ReviewReport {
        arguments,
        engine: opened.describe(),
        games: reported.len(),
        skipped,
        scale,
        bands,
        marks,
        seconds: started.elapsed().as_secs_f64(),
    };
    let shown = if arguments.json { serde_json::to_string_pretty(&report.json())? } else { report.text() };
    print_result(&shown)
}

/// The reviews that this network made with these options.
fn open_kept(arguments: &Arguments, engine: &str, file: &Path) -> Result<KeptReviews> {
    let EngineArguments { net, options, .. } = &arguments.engine;
    let mut inputs = with_network(Inputs::default().with_program(&program()), net);
    for (name, value) in options.iter().filter(|(_, value)| Path::new(value).is_file()) {
        inputs = inputs.with_path(name, Path::new(value))?;
    }
    Ok(KeptReviews::open(file, engine, options, arguments.nodes, inputs)?)
}

/// Marks, compared with the losses that another engine found.
struct Marks {
    quality: MarkQuality,
    /// Moves without a judgement, and the reason for the first of them.
    unjudged: u64,
    reason: Option<String>,
}

/// Games whose positions are held in memory together, each with its history. Chosen.
const JUDGED_AT_ONCE: usize = 16;

/// Judges every reviewed move that had a choice.
///
/// The positions of some games at a time are judged together. Each carries the history of its game, so those of all games would not fit
/// into memory; those of one game would leave threads idle at its end.
fn judged(
    judge: &PlayerSpecification,
    threads: usize,
    played: &[Game],
    reviewed: &[ReviewedGame],
    stop: &StopSignal,
) -> Result<Marks> {
    let judge = judge.contestant_for_positions()?;
    let moves = reviewed.iter().map(|review| review.losses.iter().flatten().count()).sum();
    let bar = bar(moves, "moves judged");
    let panel = Panel { contestant: &judge, threads, stop, observe: &|| bar.inc(1) };
    let (mut games, mut unjudged, mut reason) = (vec![Vec::new(); reviewed.len()], 0, None);
    let parts = played.chunks(JUDGED_AT_ONCE).zip(reviewed.chunks(JUDGED_AT_ONCE));
    for (part, (played, reviewed)) in parts.enumerate() {
        let (mut questions, mut found) = (Vec::new(), Vec::new());
        for (place, (game, review)) in played.iter().zip(reviewed).enumerate() {
            let game_number = part * JUDGED_AT_ONCE + place;
            for (ply, (&chess_move, lost)) in game.moves().iter().zip(&review.losses).enumerate() {
                let Some(lost) = *lost else { continue };
                let played = vec![Some(chess_move)];
                questions.push(JudgedPosition { game_number, game: game.at_ply(ply), played });
                found.push(lost);
            }
        }
        if questions.is_empty() {
            continue;
        }
        let answers = losses(&panel, &questions)?;
        unjudged += answers.unjudged;
        reason = reason.or(answers.reason);
        for ((question, reviewed), losses) in questions.iter().zip(found).zip(answers.of_positions) {
            if let Some(Some(loss)) = losses.first() {
                games[question.game_number].push(JudgedMove { reviewed, judged: 100.0 * loss.expected });
            }
        }
    }
    bar.finish_and_clear();
    if let Some(reason) = &reason {
        ensure!(unjudged < moves as u64, "the judge failed in every position: {reason}");
    }
    Ok(Marks { quality: MarkQuality::new(&games, &ReviewScale::CALIBRATED), unjudged, reason })
}

/// Accuracy by rating and the conditions it was measured under, for JSON and text.
struct ReviewReport<'a> {
    arguments: &'a Arguments,
    engine: String,
    games: usize,
    skipped: u64,
    scale: ReviewScale,
    bands: Vec<Band>,
    marks: Option<Marks>,
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
            "judge": arguments.judge.as_ref().map(ToString::to_string),
            "marks": self.marks.as_ref().map(|marks| &marks.quality),
            "unjudged": self.marks.as_ref().map(|marks| marks.unjudged),
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
            table(&self.bands) + &self.marks_text(),
            machine()
        )
    }

    /// The marks, compared with the judge's losses; empty without a judge.
    fn marks_text(&self) -> String {
        let Some((marks, judge)) = self.marks.as_ref().zip(self.arguments.judge.as_ref()) else {
            return String::new();
        };
        let caution = match &marks.reason {
            Some(reason) => {
                format!(
                    "\n  caution: the judge failed in {} positions, which are left out: {reason}",
                    marks.unjudged
                )
            }
            None => String::new(),
        };
        format!(
            "\nmarks compared with the losses by {judge}, points of win percentage\n{}{caution}",
            marks.quality
        )
    }
}

fn speed(text: &str) -> Result<Speed, String> {
    named(Speed::NAMES, text)
}
