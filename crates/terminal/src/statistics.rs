//! Statistics of stores and files as text.

use std::fmt::Write as _;

use census::statistics::{Bar, OpeningShare, SourceStatistics, SplitChart, Statistics, rejected_text};
use figures::Percent;
use indicatif::HumanCount;

/// Content of a store: one line for each count, then histograms.
pub fn of_store(statistics: &Statistics) -> String {
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
            "{} of the validation positions ({}) also occur in the training split",
            count(statistics.leaks.positions),
            Percent(statistics.leaks.share)
        ),
    );
    line("results", results(statistics));
    line("labels", statistics.labels.to_string());
    let distinct = count(statistics.distinct_positions);
    line("distinct", format!("{distinct} positions, whatever the fifty-move counter"));
    let phases = &statistics.phases;
    let phases =
        [("opening", phases.opening), ("middlegame", phases.middlegame), ("endgame", phases.endgame)];
    line("phases", phases.map(|(name, positions)| format!("{name} {}", count(positions))).join(", "));
    line("legality", statistics.legality.to_string());
    line("plies", format!("{} to {}, mean {:.1}", plies.least, plies.greatest, plies.mean));
    line("read", format!("{} records: {}", count(statistics.games_read), statistics.left_out_text()));
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
        let _ = writeln!(text, "{name:<12} {value}");
    }
    let bars = |bars: &[Bar]| -> Vec<(String, u64)> {
        bars.iter().map(|bar| (bar.from.to_string(), bar.count)).collect()
    };
    draw(&mut text, "games by rating", &bars(&statistics.ratings));
    draw(&mut text, "games by half-moves", &bars(&statistics.lengths));
    text + &openings(&statistics.openings)
}

/// Counts over files, by name.
pub fn source_facts(statistics: &SourceStatistics) -> Vec<(&'static str, String)> {
    let count = |value: u64| HumanCount(value).to_string();
    let results = &statistics.results;
    vec![
        ("games", format!("{}, {} half-moves", count(statistics.games), count(statistics.plies))),
        ("positions", format!("{} of no game", count(statistics.positions))),
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
