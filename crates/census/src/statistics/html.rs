//! Statistics as one HTML page that needs nothing else: tables and bars, no scripts.

use std::fmt::Write as _;

use figures::Percent;

use crate::statistics::{
    Bar, EvaluationBar, GameResults, OpeningShare, SourceStatistics, SplitChart, Statistics,
    games::{LENGTH_STEP, RATING_STEP},
};

/// Openings with a bar of their own; the others share one. Chosen, not tuned: four times as many as in the
/// terminal, because a page scrolls.
const OPENINGS_SHOWN: usize = 40;

const STYLE: &str = "body{font:14px/1.4 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1c1c1c;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}\
td,th{padding:.1rem .6rem .1rem 0;text-align:left;vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}\
td.b{width:24rem}td.b div{background:#3b6ea5;height:.8rem;min-width:1px}td.b div.v{background:#c8732b;margin-top:1px}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}";

/// The page of a store; `charts` follow its own.
pub fn of_store(title: &str, statistics: &Statistics, charts: &[SplitChart]) -> String {
    let mut page = Page::new(title);
    page.facts(&store_facts(statistics));
    page.results(&statistics.results);
    let ratings = &statistics.ratings;
    let rated = ratings.bars.iter().map(|bar| (range(bar.from, RATING_STEP - 1), bar.games));
    let unrated = (ratings.unknown > 0).then(|| ("unknown".into(), ratings.unknown));
    page.bars("Games by mean rating", &rated.chain(unrated).collect::<Vec<_>>());
    page.openings(&statistics.openings);
    page.bars("Games by half-moves up to their last sample", &ranges(&statistics.lengths, LENGTH_STEP - 1));
    let phases = &statistics.phases;
    page.bars(
        "Positions by phase",
        &[
            ("opening".into(), phases.opening),
            ("middlegame".into(), phases.middlegame),
            ("endgame".into(), phases.endgame),
        ],
    );
    page.bars("Positions by pieces on the board", &ranges(&statistics.pieces, 0));
    page.splits(&evaluations(&statistics.training_evaluations, &statistics.validation_evaluations));
    let sources: Vec<_> =
        statistics.sources.iter().map(|source| (source.path.clone(), source.positions)).collect();
    page.bars("Positions by source", &sources);
    for chart in charts {
        page.splits(chart);
    }
    page.finish()
}

/// The evaluations of both splits.
fn evaluations(training: &[EvaluationBar], validation: &[EvaluationBar]) -> SplitChart {
    let mut bars = Vec::with_capacity(training.len());
    for (trained, held_out) in training.iter().zip(validation) {
        let name = format!("{}..{}", edge(trained.from), edge(trained.to));
        bars.push((name, [trained.positions, held_out.positions]));
    }
    SplitChart { title: "Positions by centipawns for the side to move".into(), bars, facts: Vec::new() }
}

/// An end of a bar; nothing for a bar without that end.
fn edge(limit: Option<i32>) -> String {
    limit.map_or_else(String::new, |limit| limit.to_string())
}

/// The page about files that are not a store yet; `facts` are names and values shown above the bars.
pub fn of_source(title: &str, facts: &[(&str, String)], statistics: &SourceStatistics) -> String {
    let mut page = Page::new(title);
    page.facts(facts);
    page.results(&statistics.results);
    page.bars("Games by mean rating", &ranges(&statistics.ratings, RATING_STEP - 1));
    page.openings(&statistics.openings);
    page.bars("Games by half-moves", &ranges(&statistics.lengths, LENGTH_STEP - 1));
    page.finish()
}

fn store_facts(statistics: &Statistics) -> Vec<(&'static str, String)> {
    let Statistics { splits, leaks, labels, legality, plies, .. } = statistics;
    vec![
        ("games", statistics.games.to_string()),
        ("positions", format!("{}, {} of no game", statistics.positions, statistics.single_positions)),
        ("distinct positions", statistics.distinct_positions.to_string()),
        ("training", format!("{} games, {} positions", splits.train.games, splits.train.positions)),
        (
            "validation",
            format!("{} games, {} positions", splits.validation.games, splits.validation.positions),
        ),
        (
            "leaks",
            format!("{} validation positions ({}) are trained on", leaks.positions, Percent(leaks.share)),
        ),
        ("labels", labels.to_string()),
        ("legality", legality.to_string()),
        ("half-moves before", format!("{} to {}, mean {:.1}", plies.least, plies.greatest, plies.mean)),
        ("records read", format!("{}: {}", statistics.games_read, statistics.left_out_text())),
        ("size", format!("{} bytes, {:.2} a position", statistics.bytes, statistics.bytes_per_position)),
    ]
}

/// Bars of a width of `more + 1`, named by their first and last number.
fn ranges(bars: &[Bar], more: u16) -> Vec<(String, u64)> {
    bars.iter().map(|bar| (range(bar.from, more), bar.count)).collect()
}

/// The name of a bar; the last one ends with the largest number, as ratings in a file may be that large.
fn range(from: u16, more: u16) -> String {
    if more == 0 { from.to_string() } else { format!("{from}-{}", from.saturating_add(more)) }
}

/// A page that is being written.
struct Page(String);

impl Page {
    fn new(title: &str) -> Self {
        let title = escaped(title);
        Self(format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        ))
    }

    fn facts(&mut self, facts: &[(&str, String)]) {
        self.0.push_str("<table>\n");
        for (name, value) in facts {
            let _ = writeln!(self.0, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        self.0.push_str("</table>\n");
    }

    fn results(&mut self, results: &GameResults) {
        let bars = [
            ("White".into(), results.white),
            ("draw".into(), results.draw),
            ("Black".into(), results.black),
            ("unknown".into(), results.unknown),
        ];
        self.bars("Games by result", &bars);
    }

    /// Appends a bar chart; nothing if all bars are empty.
    fn bars(&mut self, title: &str, bars: &[(String, u64)]) {
        let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0);
        let all: u64 = bars.iter().map(|&(_, count)| count).sum();
        if most == 0 {
            return;
        }
        let _ = writeln!(self.0, "<h2>{}</h2>\n<table>", escaped(title));
        for (name, count) in bars {
            let _ = writeln!(
                self.0,
                "<tr><td>{}</td><td class=\"n\">{count}</td><td class=\"n\">{}</td><td class=\"b\">{}</td></tr>",
                escaped(name),
                Percent(*count as f64 / all as f64),
                bar("", *count as f64 / most as f64),
            );
        }
        self.0.push_str("</table>\n");
    }

    fn openings(&mut self, openings: &[OpeningShare]) {
        let mut bars = Vec::with_capacity(OPENINGS_SHOWN + 1);
        for opening in openings.iter().take(OPENINGS_SHOWN) {
            let name = format!("{} {}", opening.eco, opening.name);
            bars.push((name.trim_end().to_owned(), opening.games));
        }
        let rest: u64 = openings.iter().skip(OPENINGS_SHOWN).map(|opening| opening.games).sum();
        if rest > 0 {
            bars.push((format!("{} others", openings.len() - OPENINGS_SHOWN), rest));
        }
        self.bars("Games by opening", &bars);
    }

    /// Appends a chart of both splits as shares of each, so that they can be compared; nothing if all bars are empty.
    fn splits(&mut self, chart: &SplitChart) {
        let shares = chart.shares();
        let most = shares.iter().flatten().copied().fold(0.0, f64::max);
        if most == 0.0 {
            return;
        }
        let title = escaped(&chart.title);
        let _ = writeln!(self.0, "<h2>{title}: training (upper bar) and validation</h2>\n<table>");
        for ((name, _), [trained, held_out]) in chart.bars.iter().zip(shares) {
            let _ = writeln!(
                self.0,
                "<tr><td>{}</td><td class=\"n\">{:.2}</td><td class=\"n\">{:.2}</td><td class=\"b\">{}{}</td></tr>",
                escaped(name),
                Percent(trained),
                Percent(held_out),
                bar("", trained / most),
                bar(" class=\"v\"", held_out / most),
            );
        }
        self.0.push_str("</table>\n");
        for fact in &chart.facts {
            let _ = writeln!(self.0, "<p>{}</p>", escaped(fact));
        }
    }

    fn finish(self) -> String {
        self.0 + "</body></html>\n"
    }
}

/// A bar of a share of the greatest length.
fn bar(class: &str, share: f64) -> String {
    if share > 0.0 {
        format!("<div{class} style=\"width:{:.2}%\"></div>", 100.0 * share)
    } else {
        String::new()
    }
}

/// Text from files (names of openings, paths) as text of a page. The ampersand comes first, or it would be escaped twice.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_become_markup() {
        let mut page = Page::new("<b>&");
        page.bars("title", &[("<script>\"".into(), 3), ("none".into(), 0)]);
        let page = page.finish();
        assert!(page.contains("&lt;b&gt;&amp;") && page.contains("&lt;script&gt;&quot;"), "{page}");
        assert!(!page.contains("<script") && page.contains("width:100.00%"));
    }

    #[test]
    fn bars_are_named_up_to_the_largest_rating() {
        let bars = [1500, 65_500].map(|from| Bar { from, count: 1 });
        let names: Vec<String> = ranges(&bars, RATING_STEP - 1).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["1500-1599", "65500-65535"]);
    }

    #[test]
    fn a_chart_without_counts_is_left_out() {
        let mut page = Page::new("empty");
        page.bars("nothing", &[("a".into(), 0)]);
        page.splits(&evaluations(&[], &[]));
        assert!(!page.finish().contains("<h2>"));
    }
}
