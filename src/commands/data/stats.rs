//! `tabiya data stats`.

use std::{fmt::Write as _, io::Write as _, path::PathBuf, process::ExitCode};

use dataset::{Statistics, Store};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// Count the games, positions, results, labels, ratings and evaluations of a store, and the validation positions that are also
/// in the training split.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data stats stores/masters
  tabiya data stats stores/masters --json | jq .results")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`
    store: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let store = Store::open(&arguments.store)?;
    let bar = ProgressBar::new(store.manifest().counts.positions);
    bar.set_style(ProgressStyle::with_template(
        "{bar:30} {percent:>3} %  {human_pos} positions, {per_sec}, {eta} left",
    )?);
    let statistics = Statistics::count(&store, |rows| bar.set_position(rows))?;
    bar.finish_and_clear();
    let text =
        if arguments.json { serde_json::to_string_pretty(&statistics)? + "\n" } else { report(&statistics) };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
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
    line("plies", format!("{} to {}, mean {:.1}", plies.least, plies.greatest, plies.mean));
    line("read", read(statistics));
    for source in &statistics.sources {
        line("source", format!("{}: {} positions", source.path, count(source.positions)));
    }
    text.push_str(&histograms(statistics));
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
