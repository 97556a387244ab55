//! `tabiya data stats`.

mod html;
mod source;

use std::{
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use dataset::{Store, source::opening_names::OpeningNames};
use indicatif::HumanCount;
use labelling::{Statistics, statistics::OpeningShare};
use output::OutputFile;
use terminal::progress_bar;

/// Count the games, positions, results, labels, ratings, openings, phases and evaluations of a store, the validation positions that
/// are also in the training split, and what contradicts the rules.
///
/// Given files of games or positions instead of a store, counts their records: results, ratings, lengths, openings, broken
/// records, and repeated names, rows and games. What does not fit into memory lies in temporary files (TMPDIR).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data stats stores/masters
  tabiya data stats stores/masters --json | jq .results
  tabiya data stats stores/masters --html masters.html --openings eco.csv
  tabiya data stats games.csv.gz more-games.pgn.zst")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`, or files, folders or archives of games and positions
    #[arg(value_name = "STORE|IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Draw everything in one file that needs no other: an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Name openings by the longest line in this table: CSV with eco,eco_name,eco_example, or eco, name and pgn between tabs (as
    /// in lichess-org/chess-openings)
    #[arg(long, value_name = "TABLE")]
    openings: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let names = arguments.openings.as_deref().map(read_names).transpose()?;
    let (text, page) = match &arguments.inputs[..] {
        [store] if is_store(store) => {
            let statistics = of_store(store, names.as_ref())?;
            let text = if arguments.json {
                serde_json::to_string_pretty(&statistics)? + "\n"
            } else {
                report(&statistics)
            };
            (text, html::of_store(&store.display().to_string(), &statistics))
        }
        inputs => source::run(inputs, names.as_ref(), arguments.json)?,
    };
    if let Some(path) = &arguments.html {
        OutputFile::open(path)?.finish(page)?;
    }
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a path is to be opened as a store: what is missing is reported as a missing store.
fn is_store(path: &Path) -> bool {
    path != Path::new("-") && (!path.exists() || path.join("manifest.json").exists())
}

/// Reads names of openings, reporting rows that are none.
fn read_names(path: &Path) -> anyhow::Result<OpeningNames> {
    let (names, broken) = OpeningNames::read(path)?;
    for bad in &broken {
        writeln!(std::io::stderr(), "{bad}")?;
    }
    anyhow::ensure!(!names.is_empty(), "{} names no opening whose line can be played", path.display());
    Ok(names)
}

fn of_store(path: &Path, names: Option<&OpeningNames>) -> anyhow::Result<Statistics> {
    let store = Store::open(path)?;
    let positions = store.manifest().counts.positions;
    let bar = progress_bar(Some(positions), "{percent:>3} %  {human_pos} positions, {per_sec}, {eta} left");
    let statistics = Statistics::count_with(&store, names, |rows| bar.set_position(rows))?;
    bar.finish_and_clear();
    Ok(statistics)
}

/// The statistics for reading.
fn report(statistics: &Statistics) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<12} {value}");
    };
    let count = |value: u64| HumanCount(value).to_string();
    let Statistics { splits, plies, .. } = statistics;
    line("games", count(statistics.games));
    line("positions", count(statistics.positions));
    if statistics.single_positions > 0 {
        line("of no game", format!("{} positions", count(statistics.single_positions)));
    }
    line("on disk", format!("{:.2} bytes a position", statistics.bytes_per_position));
    for (name, split) in [("train", &splits.train), ("validation", &splits.validation)] {
        line(name, format!("{} games, {} positions", count(split.games), count(split.positions)));
    }
    line(
        "leaks",
        format!(
            "{} of the validation positions ({:.1} %) also stand in the training split",
            count(statistics.leaks.positions),
            100.0 * statistics.leaks.share
        ),
    );
    line("results", results(statistics));
    line("labels", labels(statistics));
    let distinct = count(statistics.distinct_positions);
    line("distinct", format!("{distinct} positions, whatever the fifty-move counter"));
    let phases = &statistics.phases;
    let phases =
        [("opening", phases.opening), ("middlegame", phases.middlegame), ("endgame", phases.endgame)];
    line("phases", phases.map(|(name, positions)| format!("{name} {}", count(positions))).join(", "));
    let legality = &statistics.legality;
    let (positions, moves) = (legality.illegal_positions, legality.illegal_moves);
    line("legality", format!("{positions} illegal positions, {moves} illegal moves"));
    line("plies", format!("{} to {}, mean {:.1}", plies.least, plies.greatest, plies.mean));
    line("read", read(statistics));
    for source in &statistics.sources {
        line("source", format!("{}: {} positions", source.path, count(source.positions)));
    }
    text.push_str(&histograms(statistics));
    text.push_str(&openings(&statistics.openings));
    text
}

/// Results of games and positions.
fn results(statistics: &Statistics) -> String {
    let Statistics { results, position_results, .. } = statistics;
    format!(
        "games: White {}, draw {}, Black {}, unknown {}; positions: won {}, drawn {}, lost {}, unknown {}",
        results.white,
        results.draw,
        results.black,
        results.unknown,
        position_results.win,
        position_results.draw,
        position_results.loss,
        position_results.unknown
    )
}

/// What the positions are labelled with.
fn labels(statistics: &Statistics) -> String {
    let labels = &statistics.labels;
    format!(
        "centipawns {}, mate {}, no evaluation {}; slips {}, positions before a slip {}, repeated positions {}",
        labels.centipawns,
        labels.mate,
        labels.unevaluated,
        labels.slips,
        labels.before_slips,
        labels.repeated
    )
}

/// Records read and left out.
fn read(statistics: &Statistics) -> String {
    let rejected = statistics.rejected.iter().map(|(reason, games)| format!("{} {games}", reason.name()));
    let rejected = rejected.collect::<Vec<_>>().join(", ");
    format!(
        "{} games: {} repeated, {} filtered out, broken: {}",
        HumanCount(statistics.games_read),
        statistics.duplicates,
        statistics.filtered,
        if rejected.is_empty() { "none" } else { &rejected }
    )
}

fn histograms(statistics: &Statistics) -> String {
    let mut text = String::new();
    let ratings: Vec<_> =
        statistics.ratings.bars.iter().map(|bar| (bar.from.to_string(), bar.games)).collect();
    draw(&mut text, "games by rating", &ratings);
    let edge = |limit: Option<i32>, open: &str| limit.map_or(open.into(), |limit| limit.to_string());
    let evaluations: Vec<_> = statistics
        .evaluations
        .iter()
        .map(|bar| (format!("{}..{}", edge(bar.from, ""), edge(bar.to, "")), bar.positions))
        .collect();
    draw(&mut text, "positions by centipawns for the side to move", &evaluations);
    text
}

/// Openings shown in a terminal.
const OPENINGS_SHOWN: usize = 10;

/// The most frequent openings.
fn openings(openings: &[OpeningShare]) -> String {
    let bars: Vec<_> = openings
        .iter()
        .take(OPENINGS_SHOWN)
        .map(|opening| (format!("{} {}", opening.eco, opening.name).trim_end().to_owned(), opening.games))
        .collect();
    let mut text = String::new();
    draw(&mut text, "games by opening", &bars);
    text
}

/// A bar chart of characters; nothing where there is nothing to show.
fn draw(text: &mut String, title: &str, bars: &[(String, u64)]) {
    let most = bars.iter().map(|&(_, value)| value).max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for (name, value) in bars {
        let length = (value * 40).div_ceil(most) as usize;
        let _ = writeln!(text, "{name:>12} {value:>10} {}", "#".repeat(length));
    }
}
