use std::{
    cell::Cell,
    fs::File,
    io::{Read, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result, bail, ensure};
use chess::{MOST_MOVES, StopSignal};
use dataset::{
    BuildConfig, Filters, Relabelling, Split, Store, Unlabelled, build, relabel, store::manifest::Engine,
};
use files::{Begin, Inputs, WorkFolder, is_stream, path_text, reader_hash};
use indicatif::{HumanCount, ProgressBar};
use labelling::{
    Labellers,
    store_labelling::{Advance, KnownLabels, LabelJournal, StoreLabelling},
};
use player::{PlayerSpecification, help, with_player};
use serde::Serialize;
use serde_json::json;
use terminal::{BuildProgress, continue_from, progress_bar, stop_on_interrupt};

use crate::commands::machine::{program, threads};

/// Label positions with an engine, or with a search on a network.
///
/// Inputs are those of `tabiya data build`, including positions without a best move, or one sample store, whose labels are
/// replaced. A UCI engine labels with its move, its evaluation and, with --multipv, the evaluations of several moves. A network labels
/// with its move, the visits of all moves and the value of the search; with search=policy, with its full policy and its value,
/// many positions per batch. A network exported from Stockfish labels with the value and the shares of the moves from a quiescence
/// search after each move; with search=value with only the value, and with search=value,nodes=1 with the static evaluation of
/// the position. Each position is labelled once, however often it occurs.
///
/// Labels are kept in OUT.labelling until all are done. After Ctrl-C or a kill the same command with --resume continues; only the
/// sessions that were in progress are repeated.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya data label stores/soft games.pgn.zst --engine \
    uci=stockfish,nodes=3000 --multipv 4\n  tabiya data label stores/deep positions.epd --engine uci=stockfish,depth=20 \
    --processes 8\n  tabiya data label stores/soft games.pgn.zst --engine uci=stockfish,nodes=3000 --multipv 4 --resume\n  \
    tabiya data label many games.pgn --ahead 64 --random-moves 0.35 --engine uci=stockfish,nodes=1\n  tabiya data label stores/own stores/masters --engine default,nodes=800\n  tabiya data label stores/people \
    games.pgn --history 8 --engine net=maia-1100.pb.gz,search=policy --rating 1100\n  tabiya data label stores/distilled stores/people --engine cnn,search=policy --keep-evaluations\n  tabiya data label stores/taught games.pgn --engine net=stockfish.nnue,search=policy --session 1024", help()))]
pub(crate) struct Arguments {
    /// The store to create: a directory that does not exist yet
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Files, folders or zip archives of games or positions, - for stdin, or one sample store
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Labelling player: a UCI engine with its limits, or a network; see below
    #[arg(long, value_name = "PLAYER")]
    engine: PlayerSpecification,
    /// Number of lines of a UCI engine, each with an evaluation
    #[arg(long, value_name = "LINES", value_parser = clap::value_parser!(u16).range(1..=MOST_MOVES as i64))]
    multipv: Option<u16>,
    /// Positions sent to a UCI engine ahead of its answers, for engines that read commands while they search, as
    /// Stockfish does: at one node a position, the round trip through the pipe takes longer than the search
    #[arg(long, value_name = "POSITIONS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    ahead: u16,
    /// Share of positions (0 to 1) labelled after a random legal move, since most positions of a search follow bad moves. Not for
    /// stores
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    random_moves: f32,
    #[command(flatten)]
    choice: Choice,
    /// Seed of the random moves
    #[arg(long, default_value_t = BuildConfig::SEED)]
    seed: u64,
    /// Number of engines that work in parallel; default: one for each thread of the CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    processes: Option<u16>,
    /// Positions per `ucinewgame`. With a node or depth limit, this and the limit determine the labels. A kill loses at most
    /// this many positions for each engine
    #[arg(long, value_name = "POSITIONS", default_value_t = StoreLabelling::SESSION, value_parser = clap::value_parser!(u32).range(1..))]
    session: u32,
    /// Share for the validation split, as in `tabiya data build`; a store keeps its splits
    #[arg(long, value_name = "SHARE", default_value_t = BuildConfig::VALIDATION_SHARE)]
    validation: f64,
    /// Positions stored with each sample, including its own; lc0-112 needs 8. A store keeps its own number
    #[arg(long, value_name = "POSITIONS", default_value_t = BuildConfig::HISTORY)]
    history: usize,
    /// Rating to use instead of those of the games, for both players in the samples and as input of a network that takes ratings:
    /// for labels of a human-like network of one rating
    #[arg(long, value_name = "ELO", value_parser = clap::value_parser!(u16).range(1..=4000))]
    rating: Option<u16>,
    /// Keep the evaluations of the input store in addition to the labelling player's moves, policy and value: a recipe can
    /// mix the two (`value_target = { from = "blend", result_weight = 0.0, search_weight = 0.5 }`)
    #[arg(long)]
    keep_evaluations: bool,
    /// Resume from the labels in OUT.labelling
    #[arg(long)]
    resume: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

/// The filters of `tabiya data build` that labelling also has; for inputs that are not a store.
#[derive(Debug, clap::Args)]
struct Choice {
    /// Maximum games per band of 100 rating points, as in `tabiya data build`; like the next three options, not for stores
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    max_games_per_band: Option<u64>,
    /// Maximum positions per game, chosen at random
    #[arg(long, value_name = "POSITIONS")]
    samples_per_game: Option<usize>,
    /// Only positions with an engine evaluation, and their neighbours
    #[arg(long)]
    evaluated: bool,
    /// Stop after this many positions
    #[arg(long, value_name = "POSITIONS")]
    max_positions: Option<u64>,
}

#[derive(Serialize)]
struct Summary {
    kind: &'static str,
    engine: Engine,
    rows: u64,
    positions: u64,
    labelled_before: u64,
    seconds: f64,
    positions_per_second: f64,
    restarts: u64,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let labellers = Labellers::of(&arguments.engine, arguments.multipv, arguments.ahead)?;
    // Fails early: an engine that does not start must not cost the time of reading the positions.
    let first = labellers.build().with_context(|| format!("engine {}", arguments.engine))?;
    let mut engine = labellers.describe(first.as_ref());
    if let Some(rating) = arguments.rating {
        engine.limits = format!("{}, players rated {rating}", engine.limits);
    }
    drop(first);
    let source = given_store(&arguments.inputs)?;
    check_input(arguments, source.is_some())?;
    let setup = setup(arguments, &engine, source.as_ref())?;
    let folder =
        WorkFolder::beside(&arguments.output, "labelling", &setup, Begin::from_flag(arguments.resume))?;
    let stop = stop_on_interrupt()?;
    // Games are read into a store of unlabelled positions first. Then every position has a row, by which a resumed command knows the
    // labels that it has, and positions that occur in many games are labelled once.
    let store = match source {
        Some(store) => store,
        None => positions(arguments, &folder.join("positions.store"), &stop)?,
    };
    let labelling = format!("{setup}{}", store.hash());
    let mut journal = LabelJournal::open(&folder.join("labels.jsonl"), &labelling)?;
    let started = Instant::now();
    let labelling = StoreLabelling {
        labellers: &labellers,
        processes: arguments.processes.map_or_else(threads, usize::from),
        session: arguments.session,
        rating: arguments.rating,
        stop: &stop,
    };
    let bar = Bar::new(&store);
    let advance = labelling.run(&store, &mut journal, &mut |advance| bar.show(advance))?;
    bar.bar.finish_and_clear();
    if stop.is_stopped() {
        bail!(
            "stopped with the labels of {} positions; the same command with --resume continues",
            HumanCount(advance.known + advance.labelled)
        );
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut known = KnownLabels::new(&journal, arguments.session);
    let labels = Relabelling {
        engine: engine.clone(),
        rating: arguments.rating,
        keeps_evaluations: arguments.keep_evaluations,
    };
    let manifest = folder.publish(|| {
        let relabelled = relabel(&store, &arguments.output, labels, &mut |number| known.label(number));
        relabelled.map_err(anyhow::Error::from)
    })?;
    let summary = Summary {
        kind: "tabiya-label-1",
        engine,
        rows: manifest.counts.positions,
        positions: advance.known + advance.labelled,
        labelled_before: advance.known,
        seconds,
        positions_per_second: advance.labelled as f64 / seconds,
        restarts: advance.restarts,
    };
    print(arguments, &summary)
}

/// Refuses options that apply only to games, or only to stores.
fn check_input(arguments: &Arguments, is_store: bool) -> Result<()> {
    if is_store && arguments.random_moves != 0.0 {
        bail!("--random-moves changes positions while they are read from games; a store keeps its own");
    }
    if is_store && filters(arguments) != Filters::default() {
        bail!(
            "--evaluated, --samples-per-game, --max-games-per-band and --max-positions choose while games are read; \
             give them to `tabiya data build`"
        );
    }
    if !is_store && arguments.keep_evaluations {
        bail!(
            "--keep-evaluations keeps the evaluations of a store; games have to be built or labelled first"
        );
    }
    Ok(())
}

/// The input, if it is a sample store.
fn given_store(inputs: &[PathBuf]) -> Result<Option<Store>> {
    match inputs {
        [input] if input.join(files::run::MANIFEST).is_file() => Ok(Some(Store::open(input)?)),
        _ => Ok(None),
    }
}

fn filters(arguments: &Arguments) -> Filters {
    let Choice { max_games_per_band, samples_per_game, evaluated, max_positions } = arguments.choice;
    Filters { max_games_per_band, samples_per_game, evaluated, max_positions, ..Filters::default() }
}

/// Settings that a resumed command must share with the one that was interrupted.
fn setup(arguments: &Arguments, engine: &Engine, store: Option<&Store>) -> Result<serde_json::Value> {
    let player = with_player(Inputs::default().with_program(&program()), &arguments.engine);
    // What a stream held is known by the positions that were read from it.
    let mut files = arguments.inputs.iter().filter(|input| !is_stream(input));
    let inputs = files.try_fold(player, |inputs, path| inputs.with_path("input", path))?;
    Ok(json!({
        "inputs": inputs,
        "paths": arguments.inputs.iter().map(|input| path_text(input)).collect::<Vec<_>>(),
        "store": store.map(Store::hash),
        "engine": engine.name,
        "limits": engine.limits,
        "session": arguments.session,
        "validation": arguments.validation,
        "history": arguments.history,
        "random_moves": arguments.random_moves,
        "seed": arguments.seed,
        // `None` if everything is kept, as in labellings begun before the options existed.
        "filters": (filters(arguments) != Filters::default()).then(|| filters(arguments)),
        "keep_evaluations": arguments.keep_evaluations.then_some(true),
    }))
}

/// The store with the positions of the inputs, from an earlier run or a new one.
fn positions(arguments: &Arguments, path: &Path, stop: &StopSignal) -> Result<Store> {
    if path.exists() {
        let store = Store::open(path)?;
        expect_same_streams(arguments, &store)?;
        return Ok(store);
    }
    let mut observer = BuildProgress::new(None, stop.clone())?;
    let config = BuildConfig {
        validation_share: arguments.validation,
        history: arguments.history,
        unlabelled: Unlabelled::Await,
        filters: filters(arguments),
        random_moves: arguments.random_moves,
        seed: arguments.seed,
        ..BuildConfig::new(path, &arguments.inputs)
    };
    let built = build(&config, &mut observer);
    observer.finish(None)?;
    built?;
    Ok(Store::open(path)?)
}

/// Refuses streams that hold something else than those from which the positions were read. They are read for this alone.
fn expect_same_streams(arguments: &Arguments, store: &Store) -> Result<()> {
    for input in arguments.inputs.iter().filter(|input| is_stream(input)) {
        let name = path_text(input);
        let Some(known) = store.manifest().sources.iter().find(|source| source.path == name) else {
            continue;
        };
        let cause = || format!("cannot read {name}");
        let mut stream: Box<dyn Read> = if name == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(input).with_context(cause)?)
        };
        let hash = reader_hash(stream.by_ref().take(known.bytes)).with_context(cause)?;
        // A number of positions ends the reading before the stream does.
        let is_longer =
            arguments.choice.max_positions.is_none() && stream.read(&mut [0]).with_context(cause)? > 0;
        ensure!(
            hash == known.xxh3 && !is_longer,
            "cannot continue: {name} is not what was read when the labelling was begun; expected {} bytes with the hash {}",
            known.bytes,
            known.xxh3
        );
    }
    Ok(())
}

/// Progress in rows, because the number of different positions is known only at the end.
struct Bar {
    bar: ProgressBar,
    known: Cell<u64>,
}

impl Bar {
    fn new(store: &Store) -> Self {
        let rows = store.positions(Split::Train) + store.positions(Split::Validation);
        let bar = progress_bar(Some(rows), "{percent:>3} %  {msg}, {elapsed} elapsed, {eta} left");
        Self { bar, known: Cell::new(0) }
    }

    fn show(&self, advance: Advance) {
        let Advance { rows, known, labelled, .. } = advance;
        if self.known.replace(known) == known {
            self.bar.set_position(rows);
        } else {
            continue_from(&self.bar, rows);
        }
        let seconds = self.bar.elapsed().as_secs_f64().max(f64::EPSILON);
        let rate = HumanCount((labelled as f64 / seconds) as u64);
        self.bar.set_message(format!("{} positions labelled, {rate}/s", HumanCount(known + labelled)));
    }
}

fn print(arguments: &Arguments, summary: &Summary) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(summary)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Summary { engine, rows, positions, labelled_before, seconds, positions_per_second, restarts, .. } =
        summary;
    writeln!(
        out,
        "{}: {} positions, {} of them different, labelled by {} ({})\n{} labelled in {seconds:.1} s: \
         {positions_per_second:.0} positions/s, {} known before, engine restarted {restarts} times",
        arguments.output.display(),
        HumanCount(*rows),
        HumanCount(*positions),
        engine.name,
        engine.limits,
        HumanCount(positions - labelled_before),
        HumanCount(*labelled_before),
    )?;
    Ok(ExitCode::SUCCESS)
}
