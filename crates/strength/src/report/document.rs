//! A report of any number of results: one page with charts, the same as Markdown, and as JSON.

use serde::Serialize;
use serde_json::Value;

use super::{
    canvas::escape,
    figure::{Figure, FigureError},
    matrix::Matrix,
    overlap::Overlap,
    rows::{Row, Rows},
};

/// A chart of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Data over two axes.
    Plot(Figure),
    /// Two yes-or-no questions.
    Matrix(Matrix),
    /// Two overlapping sets.
    Overlap(Overlap),
    /// Named values, one below the other.
    Rows(Rows),
}

impl Chart {
    /// What it shows.
    pub fn title(&self) -> &str {
        match self {
            Self::Plot(chart) => &chart.title,
            Self::Matrix(chart) => &chart.title,
            Self::Overlap(chart) => &chart.title,
            Self::Rows(chart) => &chart.title,
        }
    }

    /// The image.
    ///
    /// # Errors
    /// [`FigureError`] where there is nothing to draw, or when drawing fails.
    pub fn svg(&self) -> Result<String, FigureError> {
        match self {
            Self::Plot(chart) => chart.svg(),
            Self::Matrix(chart) => chart.svg(),
            Self::Overlap(chart) => chart.svg(),
            Self::Rows(chart) => chart.svg(),
        }
    }
}

/// A table; the first row names the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// One result.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// What was measured.
    pub title: String,
    /// The result in a sentence or two, never without its uncertainty.
    pub summary: Vec<String>,
    /// Its numbers.
    pub tables: Vec<Table>,
    /// Circumstances: opponents, limits, openings, machine, program.
    pub provenance: Vec<(String, String)>,
    /// Its ratings, for the comparison of sections.
    pub ratings: Vec<SectionRating>,
    /// The charts.
    #[serde(skip)]
    pub figures: Vec<Chart>,
    /// The file it is from.
    pub source: String,
    /// The result as it was read.
    pub data: Value,
}

/// All results.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The title.
    pub title: String,
    /// The results.
    pub sections: Vec<Section>,
}

/// A rating that a section measured on a scale that other sections may share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SectionRating {
    /// Who was rated, under which conditions.
    pub name: String,
    /// The scale: the opponents whose ratings are taken as given.
    pub scale: String,
    /// The rating; `None` where only a bound is known.
    pub elo: Option<f64>,
    /// Ends of its 95 % interval.
    pub interval: [Option<f64>; 2],
}

/// Rows of a table that the page shows unasked.
const LONGEST_TABLE: usize = 24;

/// The page's own style: a readable column, both colour schemes, tables that scroll where they are wide.
const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.7rem}h2{font-size:1.2rem;overflow-wrap:anywhere;margin:0 0 .5rem}section{border-top:1px solid #8886;\
padding:1.5rem 0}figure{margin:1.2rem 0}table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto;\
font-size:.87rem;font-variant-numeric:tabular-nums}th,td{padding:.25rem .65rem;text-align:right;white-space:nowrap;\
border-bottom:1px solid #8886}th:first-child,td:first-child{text-align:left;padding-left:0}svg{display:block;width:100%;\
height:auto}dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.15rem 1rem;font-size:.85rem;\
opacity:.8}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}@media(max-width:36rem){dl{display:block}dd{margin:0 0 \
.4rem}}@media print{section{break-inside:avoid-page}}";

impl Document {
    /// One self-contained page.
    ///
    /// # Errors
    /// [`FigureError`] when a chart cannot be drawn.
    pub fn html(&self) -> Result<String, FigureError> {
        let title = escape(&self.title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        );
        let charts =
            self.comparisons().into_iter().map(|chart| Ok(format!("<figure>{}</figure>\n", chart.svg()?)));
        page += &charts.collect::<Result<String, FigureError>>()?;
        for section in &self.sections {
            page += &section.html()?;
        }
        Ok(page + "</body></html>\n")
    }

    /// The same as Markdown, with the charts under the names that [`Document::figures`] gives them.
    pub fn markdown(&self) -> String {
        let mut number = 0;
        let mut parts = vec![format!("# {}\n", self.title)];
        for chart in self.comparisons() {
            number += 1;
            parts.push(format!("\n![{}](figure-{number}.svg)\n", chart.title()));
        }
        for section in &self.sections {
            parts.push(format!("\n## {}\n\n{}\n", section.title, section.summary.join("\n\n")));
            for table in &section.tables {
                parts.push(format!("\n{}", table.markdown()));
            }
            for figure in &section.figures {
                number += 1;
                parts.push(format!("\n![{}](figure-{number}.svg)\n", figure.title()));
            }
            parts.push("\n".into());
            parts.extend(section.provenance.iter().map(|(name, value)| format!("- {name}: {value}\n")));
        }
        parts.concat()
    }

    /// Names and images of all charts.
    ///
    /// # Errors
    /// [`FigureError`] when a chart cannot be drawn.
    pub fn figures(&self) -> Result<Vec<(String, String)>, FigureError> {
        let comparisons = self.comparisons();
        let all = comparisons.iter().chain(self.sections.iter().flat_map(|section| &section.figures));
        all.enumerate()
            .map(|(index, figure)| Ok((format!("figure-{}.svg", index + 1), figure.svg()?)))
            .collect()
    }

    /// Ratings of different sections beside each other, a chart for each scale on which there are several: ratings on different
    /// scales say nothing about each other.
    fn comparisons(&self) -> Vec<Chart> {
        let ratings = || self.sections.iter().flat_map(|section| &section.ratings);
        let mut scales: Vec<&str> = ratings().map(|rating| rating.scale.as_str()).collect();
        scales.sort_unstable();
        scales.dedup();
        let chart = |scale: &str| {
            let mut rows: Vec<Row> = ratings()
                .filter(|rating| rating.scale == scale)
                .map(|rating| Row { name: rating.name.clone(), value: rating.elo, interval: rating.interval })
                .collect();
            rows.sort_by(|one, other| order(other).total_cmp(&order(one)));
            let title = format!("Ratings against {scale}");
            (rows.len() > 1).then(|| Chart::Rows(Rows { title, axis: "Elo (95 % interval)".into(), rows }))
        };
        scales.into_iter().filter_map(chart).collect()
    }
}

/// Where a row stands among others: its value, or the bound that is known.
fn order(row: &Row) -> f64 {
    let [lower, upper] = row.interval;
    row.value.or(lower).or(upper).unwrap_or(f64::NEG_INFINITY)
}

impl Section {
    fn html(&self) -> Result<String, FigureError> {
        let mut parts = vec![format!("<section><h2>{}</h2>\n", escape(&self.title))];
        parts.extend(self.summary.iter().map(|paragraph| format!("<p>{}</p>\n", escape(paragraph))));
        parts.extend(self.tables.iter().map(Table::html));
        for figure in &self.figures {
            parts.push(format!("<figure>{}</figure>\n", figure.svg()?));
        }
        parts.push("<dl>".into());
        let lines = self.provenance.iter();
        parts.extend(
            lines.map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value))),
        );
        parts.push("</dl></section>\n".into());
        Ok(parts.concat())
    }
}

impl Table {
    fn html(&self) -> String {
        let row = |cells: &[String], tag: &str| {
            let cells: Vec<String> =
                cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr>{}</tr>\n", cells.concat())
        };
        let rows: Vec<String> = self.rows.iter().map(|cells| row(cells, "td")).collect();
        let table = format!("<table>\n{}{}</table>\n", row(&self.header, "th"), rows.concat());
        if self.rows.len() <= LONGEST_TABLE {
            return table;
        }
        let first = escape(self.header.first().map_or("row", String::as_str));
        format!("<details><summary>{} rows by {first}</summary>\n{table}</details>\n", self.rows.len())
    }

    fn markdown(&self) -> String {
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rows: Vec<String> = self.rows.iter().map(|cells| row(cells)).collect();
        format!("{}|{}\n{}", row(&self.header), "---|".repeat(self.header.len()), rows.concat())
    }
}
