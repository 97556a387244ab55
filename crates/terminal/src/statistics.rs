//! Statistics of stores and files as text.

use std::fmt::{Display, Write as _};

use census::statistics::{Bar, OpeningShare, SourceStatistics, SplitChart, Statistics, rejected_text};
use figures::Percent;
use indicatif::HumanCount;

/// Content of a store: one line for each count, then histograms.
pub fn of_store(statistics: &Statistics) -> String {
    let Statistics { splits, plies, leaks, phases, .. } = statistics;
    let mut text = String::new();
    line(&mut text, "games", HumanCount(statistics.games));
    line(&mut text, "positions", HumanCount(statistics.positions));
    if statistics.single_positions > 0 {
        line(&mut text, "of no game", format!("{} positions", HumanCount(statistics.single_positions)));
    }
    line(&mut text, "on disk", format!("{:.2} bytes a position", statistics.bytes_per_position));
    for (name, split) in [("train", &splits.train), ("validation", &splits.validation)] {
        let (games, positions) = (HumanCount(split.games), HumanCount(split.positions));
        line(&mut text, name, format!("{games} games, {positions} positions"));
    }
    let leaks = format!(
        "{} of the validation positions ({}) also occur in the training split",
        HumanCount(leaks.positions),
        Percent(leaks.share)
    );
    line(&mut text, "leaks", leaks);
    line(&mut text, "results", results(statistics));
    line(&mut text, "labels", &statistics.labels);
    let distinct = HumanCount(statistics.distinct_positions);
    line(&mut text, "distinct", format!("{distinct} positions, whatever the fifty-move counter"));
    let phases = format!(
        "opening {}, middlegame {}, endgame {}",
        HumanCount(phases.opening),
        HumanCount(phases.middlegame),
        HumanCount(phases.endgame)
    );
    line(&mut text, "phases", phases);
    line(&mut text, "legality", statistics.legality);
    line(&mut text, "plies", format!("{} to {}, mean {:.1}", plies.least, plies.greatest, plies.mean));
    let read = HumanCount(statistics.games_read);
    line(&mut text, "read", format!("{read} records: {}", statistics.left_out_text()));
    for source in &statistics.sources {
        let positions = HumanCount(source.positions);
        line(&mut text, "source", format!("{}: {positions} positions", source.path));
    }
    text.push_str(&histograms(statistics));
    text.push_str(&openings(&statistics.openings));
    text
}

/// Appends a fact with its name in front.
fn line(text: &mut String, name: &str, value: impl Display) {
    let _ = writeln!(text, "{name:<12} {value}");
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

fn histograms(statistics: &Statistics) -> String {
    let mut text = String::new();
    let ratings: Vec<_> =
        statistics.ratings.bars.iter().map(|bar| (bar.from.to_string(), bar.games)).collect();
    draw(&mut text, "games by rating", &ratings);
    let mut evaluations = Vec::with_capacity(statistics.evaluations.len());
    for bar in &statistics.evaluations {
        evaluations.push((format!("{}..{}", edge(bar.from), edge(bar.to)), bar.positions));
    }
    draw(&mut text, "positions by centipawns for the side to move", &evaluations);
    text
}

/// An end of a bar; empty if the bar has none on that side.
fn edge(limit: Option<i32>) -> String {
    limit.map(|limit| limit.to_string()).unwrap_or_default()
}

/// Chosen: with the counts and histograms they fit one screen.
const OPENINGS_SHOWN: usize = 10;

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

/// Appends a bar chart of characters; nothing if all bars are empty.
fn draw(text: &mut String, title: &str, bars: &[(String, u64)]) {
    let most = bars.iter().map(|&(_, value)| value).max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for (name, value) in bars {
        // Rounded up, so that a value of one is visible next to one of millions.
        let length = (value * 40).div_ceil(most) as usize;
        let _ = writeln!(text, "{name:>12} {value:>10} {}", "#".repeat(length));
    }
}

/// Both splits side by side: shares of each, and a bar for the training split. Rows without a sample are left out.
pub fn of_splits(chart: &SplitChart) -> String {
    let shares = chart.shares();
    let most = shares.iter().map(|[trained, _]| *trained).fold(0.0, f64::max);
    let mut text = format!("\n{}: training, validation\n", chart.title);
    for ((name, _), [trained, held_out]) in chart.bars.iter().zip(shares) {
        if trained + held_out > 0.0 {
            let bar = "#".repeat((trained / most.max(f64::MIN_POSITIVE) * 40.0).ceil() as usize);
            let _ = writeln!(text, "{name:>14} {:>10.2} {:>10.2} {bar}", Percent(trained), Percent(held_out));
        }
    }
    for fact in &chart.facts {
        let _ = writeln!(text, "{fact}");
    }
    text
}

/// Content of files of games and positions.
pub fn of_source(statistics: &SourceStatistics) -> String {
    let mut text = String::new();
    for (name, value) in source_facts(statistics) {
        line(&mut text, name, value);
    }
    draw(&mut text, "games by rating", &bars(&statistics.ratings));
    draw(&mut text, "games by half-moves", &bars(&statistics.lengths));
    text + &openings(&statistics.openings)
}

fn bars(bars: &[Bar]) -> Vec<(String, u64)> {
    bars.iter().map(|bar| (bar.from.to_string(), bar.count)).collect()
}

/// Counts over files, by name.
pub fn source_facts(statistics: &SourceStatistics) -> Vec<(&'static str, String)> {
    let results = &statistics.results;
    let (games, plies) = (HumanCount(statistics.games), HumanCount(statistics.plies));
    vec![
        ("games", format!("{games}, {plies} half-moves")),
        ("positions", format!("{} of no game", HumanCount(statistics.positions))),
        ("broken", rejected_text(&statistics.rejected)),
        (
            "results",
            format!(
                "White {}, draw {}, Black {}, unknown {}",
                results.white, results.draw, results.black, results.unknown
            ),
        ),
        (
            "repeated",
            format!(
                "{} names, {} rows, {} games by their moves, {} positions",
                statistics.repeated_names,
                statistics.repeated_rows,
                statistics.repeated_games,
                statistics.repeated_positions
            ),
        ),
    ]
}
