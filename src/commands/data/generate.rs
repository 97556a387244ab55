use std::{
    fmt,
    io::Write as _,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result, bail, ensure};
use files::{Begin, Inputs, WorkFolder, path_text};
use indicatif::{HumanCount, ProgressBar};
use labelling::generation::{GameRules, GeneratedFile, Generation, GenerationCounts, Plans, Starts};
use player::{PlayerSpecification, help, with_player};
use serde_json::json;
use strength::{
    OpeningBook,
    matches::{Adjudication, DrawRule, ResignRule},
};
use terminal::{continue_from, progress_bar, stop_on_interrupt};

use crate::commands::{
    machine::{program, threads},
    match_options::{draw_rule, resign_rule},
};

/// Generate games of an engine against itself, with an evaluation of every position, as PGN.
///
/// Each game starts from an opening, or within a game of a file, after some random plies. A share of the moves are slips: random
/// moves or moves of a shallow search, with the engine's own move recorded as a variation. The comment before a move is
/// the evaluation of the position, as in games analysed by Lichess, so `tabiya data build` reads it as the label.
///
/// No two games are the same. With one thread and a node or depth limit they depend only on the options.
/// They are kept in OUT.generating until all are finished; after Ctrl-C or a kill the same command with --resume continues.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya data generate games.pgn --engine uci=stockfish,nodes=1000\n  \
    tabiya data generate parts.pgn --engine uci=stockfish,nodes=1000 --within games.pgn\n  tabiya data generate endgames.pgn \
    --engine uci=stockfish,nodes=1000 --openings endgames:6\n  tabiya data generate games.pgn --engine uci=stockfish,nodes=1000 --resume", help()))]
pub(crate) struct Arguments {
    /// The PGN file to create
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Player of both sides, with limits; see below
    #[arg(long, value_name = "PLAYER")]
    engine: PlayerSpecification,
    /// Games to generate
    #[arg(long, value_name = "N", default_value_t = Generation::GAMES, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Openings: `balanced` (a built-in list), `startpos`, `random:PLIES`, `endgames:PIECES` (random positions with
    /// at most that many pieces), or a file of EPD or FEN lines or PGN games
    #[arg(long, value_name = "OPENINGS", default_value = OpeningBook::BALANCED)]
    openings: String,
    /// Plies of each game of a PGN file to use as the opening; default: all
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Start from random positions within the games of this file, instead of openings
    #[arg(long, value_name = "FILE", conflicts_with_all = ["openings", "opening_plies"])]
    within: Option<PathBuf>,
    #[arg(long, value_name = "MIN-MAX", value_parser = range, help = format!(
        "Number of random plies after the opening, within this range; default: {}, or none after endgames", Plies(Plans::RANDOM_PLIES)
    ))]
    random_plies: Option<Plies>,
    /// Shares of slips among the moves; each game uses one of them, chosen at random
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_values_t = Plans::SLIPS, value_parser = share)]
    slips: Vec<f64>,
    /// Nodes of the shallow search that finds half of the slips
    #[arg(long, value_name = "NODES", default_value_t = GameRules::SLIP_NODES, value_parser = clap::value_parser!(u64).range(1..))]
    slip_nodes: u64,
    /// Stop games after a number of plies within this range; default: never
    #[arg(long, value_name = "MIN-MAX", value_parser = range)]
    length: Option<Plies>,
    /// Adjudicate a loss at CP centipawns or more for N moves of each side, or `never`
    #[arg(long, value_name = "CP:N", default_value_t = Resignation(Some(GameRules::RESIGN)), value_parser = resignation)]
    resign: Resignation,
    /// Adjudicate a draw when, from move M of the game on, evaluations are at most CP for N moves of each side
    #[arg(long, value_name = "M:CP:N", value_parser = draw_rule)]
    draw: Option<DrawRule>,
    /// Number of engines that work in parallel; default: one for each thread of the CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    processes: Option<u16>,
    /// Seed for all random choices
    #[arg(long, value_name = "S", default_value_t = Plans::SEED)]
    seed: u64,
    /// Resume from the games in OUT.generating
    #[arg(long)]
    resume: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

/// Rule for resigning lost games; `None` for never.
#[derive(Clone, Copy, Debug)]
struct Resignation(Option<ResignRule>);

impl fmt::Display for Resignation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(ResignRule { centipawns, moves }) => write!(formatter, "{centipawns}:{moves}"),
            None => formatter.write_str("never"),
        }
    }
}

/// A range of plies, both ends included.
#[derive(Clone, Debug)]
struct Plies(RangeInclusive<u32>);

impl fmt::Display for Plies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.0.start(), self.0.end())
    }
}

fn resignation(text: &str) -> Result<Resignation, String> {
    if text == "never" {
        Ok(Resignation(None))
    } else {
        resign_rule(text).map(|rule| Resignation(Some(rule)))
    }
}

fn range(text: &str) -> Result<Plies, String> {
    let ends = text.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    let ends = ends.or_else(|| text.parse().ok().map(|both| (both, both)));
    let valid = ends.filter(|(first, last)| first <= last);
    valid
        .map(|(first, last)| Plies(first..=last))
        .ok_or_else(|| "expected MIN-MAX or one number, such as 6-26".into())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1, such as 0.03".into())
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let player = arguments.engine.contestant_for_positions()?;
    // Fails early: an engine that does not start must not cost the time of reading the games of a file.
    let name = (player.factory)()?.name().to_owned();
    let begin = Begin::from_flag(arguments.resume);
    let folder = WorkFolder::beside(&arguments.output, "generating", &setup(arguments, &name)?, begin)?;
    let plans = plans(arguments)?;
    let path = folder.join("games.pgn");
    let mut file = GeneratedFile::open(&path)?;
    let stop = stop_on_interrupt()?;
    let before = file.tally();
    let Resignation(resign) = arguments.resign;
    let generation = Generation {
        player: &player,
        plans: &plans,
        rules: GameRules {
            adjudication: Adjudication { max_moves: None, resign, draw: arguments.draw },
            slip_nodes: arguments.slip_nodes,
        },
        processes: arguments.processes.map_or_else(threads, usize::from),
        stop: &stop,
    };
    let started = Instant::now();
    let bar = bar(arguments.games, before.games);
    let tally = generation.run(&mut file, arguments.games, &mut |tally| {
        bar.set_position(tally.games);
        let rate = (tally.plies - before.plies) as f64 / started.elapsed().as_secs_f64().max(f64::EPSILON);
        bar.set_message(format!("{} positions, {}/s", HumanCount(tally.plies), HumanCount(rate as u64)));
    })?;
    bar.finish_and_clear();
    if tally.games < arguments.games {
        bail!("stopped with {} games; the same command with --resume continues", HumanCount(tally.games));
    }
    folder.publish(|| {
        let output = arguments.output.display();
        let is_new = files::move_new(&path, &arguments.output);
        ensure!(
            is_new.with_context(|| format!("cannot create {output}"))?,
            "{output} has appeared meanwhile and stays; move it away, and the same command with --resume puts the games there"
        );
        Ok(())
    })?;
    // Only what this process has generated: a resumed command would otherwise count the games of the earlier one into its speed.
    let rate = (tally.plies - before.plies) as f64 / started.elapsed().as_secs_f64();
    print(arguments, &tally, rate)
}

/// Settings that a resumed command must share with the one that was interrupted.
fn setup(arguments: &Arguments, engine: &str) -> Result<serde_json::Value> {
    let openings = OpeningBook::file(&arguments.openings).filter(|_| arguments.within.is_none());
    let mut inputs = with_player(Inputs::default().with_program(&program()), &arguments.engine);
    if let Some(file) = openings.or(arguments.within.as_deref()) {
        inputs = inputs.with_path("file", file)?;
    }
    Ok(json!({
        "inputs": inputs,
        "player": arguments.engine.to_string(),
        "engine": engine,
        "openings": arguments.openings,
        "opening_plies": arguments.opening_plies,
        "within": arguments.within.as_deref().map(path_text),
        "random_plies": format!("{:?}", random_plies(arguments)),
        "slips": arguments.slips,
        "slip_nodes": arguments.slip_nodes,
        "length": arguments.length.as_ref().map(|Plies(range)| format!("{range:?}")),
        "resign": arguments.resign.0,
        "draw": arguments.draw,
        "seed": arguments.seed,
        // The sample of starts and the number of random openings depend on it.
        "games": arguments.games,
    }))
}

fn plans(arguments: &Arguments) -> Result<Plans> {
    let count = usize::try_from(arguments.games).context("--games")?;
    let starts = match &arguments.within {
        Some(path) => Starts::within(path, count)?,
        None => Starts::Book(OpeningBook::named(
            &arguments.openings,
            arguments.opening_plies,
            count,
            arguments.seed,
        )?),
    };
    Ok(Plans {
        starts,
        random_plies: random_plies(arguments),
        slips: arguments.slips.clone(),
        length: arguments.length.clone().map(|Plies(range)| range),
        seed: arguments.seed,
    })
}

/// Random plies vary the few openings; endgames are random already, and would only get worse.
fn random_plies(arguments: &Arguments) -> RangeInclusive<u32> {
    match &arguments.random_plies {
        Some(Plies(range)) => range.clone(),
        None if arguments.openings.starts_with(OpeningBook::ENDGAMES) => 0..=0,
        None => Plans::RANDOM_PLIES,
    }
}

fn bar(games: u64, done: u64) -> ProgressBar {
    let bar = progress_bar(Some(games), "{pos}/{len} games, {msg}, {elapsed} elapsed, {eta} left");
    continue_from(&bar, done);
    bar
}

fn print(arguments: &Arguments, tally: &GenerationCounts, rate: f64) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let summary = json!({"kind": "tabiya-generate-1", "tally": tally, "positions_per_second": rate});
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let GenerationCounts { games, white, draws, black, unknown, plies, repeated, restarts } = tally;
    writeln!(
        out,
        "{}: {} games with {} positions, {rate:.0}/s\nWhite won {white}, drawn {draws}, Black won {black}, broken off {unknown}; \
         left out as repeated {repeated}, engine restarted {restarts} times",
        Path::display(&arguments.output),
        HumanCount(*games),
        HumanCount(*plies),
    )?;
    Ok(ExitCode::SUCCESS)
}
