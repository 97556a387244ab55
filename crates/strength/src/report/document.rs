//! Several results as one document: JSON, which the page draws, and Markdown.

use std::collections::BTreeMap;

use chess::printable;
use files::run::ResultKind;
use serde::Serialize;
use serde_json::Value;

use crate::statistics::elo_range;

/// A table; the first row names the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// Names of the columns.
    pub header: Vec<String>,
    /// Cells of each row, as many as the header has.
    pub rows: Vec<Vec<String>>,
}

/// One result file as a section of the report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    /// The kind of result and the player measured.
    pub title: String,
    /// The result in a sentence or two, never without its uncertainty.
    pub summary: Vec<String>,
    /// Numbers of the result.
    pub tables: Vec<Table>,
    /// Circumstances: opponents, limits, openings, machine, program.
    pub provenance: Vec<(String, String)>,
    /// Its ratings, for the comparison of sections.
    pub ratings: Vec<SectionRating>,
    /// The file it comes from.
    pub source: String,
    /// The result as it was read, without its lists of games.
    pub data: Value,
}

/// A report: all results under one title.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The type of document: [`Document::KIND`].
    pub kind: &'static str,
    /// Title given by the user.
    pub title: String,
    /// Lines at the top of the report: each published number with the result of the run.
    pub opening: Vec<String>,
    /// One section for each result, in the order given.
    pub sections: Vec<Section>,
}

/// A rating that a section measured on a scale that other sections may share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SectionRating {
    /// The player rated, and the conditions.
    pub name: String,
    /// The scale: the opponents whose ratings are taken as given.
    pub scale: String,
    /// The rating; `None` if only a bound is known.
    pub elo: Option<f64>,
    /// Ends of its 95 % interval.
    pub interval: [Option<f64>; 2],
}

impl Document {
    /// The value of `kind` that identifies the JSON.
    pub const KIND: &str = ResultKind::Report.text();

    /// A document of these results.
    pub fn new(title: &str, sections: Vec<Section>) -> Self {
        Self { kind: Self::KIND, title: title.into(), opening: Vec::new(), sections }
    }

    /// The document with these lines before everything else.
    #[must_use]
    pub fn opened_by(self, opening: Vec<String>) -> Self {
        Self { opening, ..self }
    }

    /// Title, comparisons and sections as Markdown, without the charts.
    pub fn markdown(&self) -> String {
        let mut parts = vec![format!("# {}\n", escape(&self.title))];
        if !self.opening.is_empty() {
            let lines = self.opening.iter().map(|line| format!("- {}\n", escape(line)));
            parts.push(format!("\n{}", lines.collect::<String>()));
        }
        parts.extend(self.comparisons().iter().map(|table| format!("\n{}", table.markdown())));
        for section in &self.sections {
            parts.push(format!(
                "\n## {}\n\n{}\n",
                escape(&section.title),
                escape(&section.summary.join("\n\n"))
            ));
            parts.extend(section.tables.iter().map(|table| format!("\n{}", table.markdown())));
            parts.push("\n".into());
            let facts = section.provenance.iter();
            parts.extend(facts.map(|(name, value)| format!("- {}: {}\n", escape(name), escape(value))));
        }
        parts.concat()
    }

    /// Ratings of different sections side by side, one table for each scale with several ratings, because
    /// ratings on different scales are not comparable.
    fn comparisons(&self) -> Vec<Table> {
        let mut by_scale: BTreeMap<&str, Vec<&SectionRating>> = BTreeMap::new();
        for rating in self.sections.iter().flat_map(|section| &section.ratings) {
            by_scale.entry(&rating.scale).or_default().push(rating);
        }
        by_scale.retain(|_, ratings| ratings.len() > 1);
        let mut tables = Vec::new();
        for (scale, mut ratings) in by_scale {
            ratings.sort_by(|one, other| other.place().total_cmp(&one.place()));
            let header = vec![format!("ratings against {scale}"), "Elo (95 %)".into()];
            tables.push(Table { header, rows: ratings.into_iter().map(SectionRating::cells).collect() });
        }
        tables
    }
}

impl SectionRating {
    /// Sort key: the value, or the bound that is known.
    fn place(&self) -> f64 {
        let [lower, upper] = self.interval;
        self.elo.or(lower).or(upper).unwrap_or(f64::NEG_INFINITY)
    }

    fn cells(&self) -> Vec<String> {
        let [lower, upper] = self.interval;
        vec![self.name.clone(), elo_range(self.elo, lower, upper).replace('+', "")]
    }
}

/// Escapes text for Markdown, which passes HTML through and shows a control character as nothing.
fn escape(text: &str) -> String {
    printable(text, &['\n'])
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('|', "\\|")
}

impl Table {
    fn markdown(&self) -> String {
        let mut text = format!("{}|{}\n", markdown_row(&self.header), "---|".repeat(self.header.len()));
        text.extend(self.rows.iter().map(|cells| markdown_row(cells)));
        text
    }
}

fn markdown_row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}
