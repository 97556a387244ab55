//! A report of any number of results: one page with charts, the same as Markdown, and as JSON.

use serde::Serialize;
use serde_json::Value;

use super::figure::{Figure, FigureError, escape};

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
    /// The charts.
    #[serde(skip)]
    pub figures: Vec<Figure>,
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

/// The page's own style: a readable column, both colour schemes, tables that scroll where they are wide.
const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}th,td{padding:.2rem .7rem;text-align:right;\
border-bottom:1px solid #8886}th:first-child,td:first-child{text-align:left}svg{width:100%;height:auto}\
dl{display:grid;grid-template-columns:max-content auto;gap:.1rem 1rem;font-size:.85rem;color:#888}dd{margin:0;\
overflow-wrap:anywhere}";

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
        for section in &self.sections {
            page += &section.html()?;
        }
        Ok(page + "</body></html>\n")
    }

    /// The same as Markdown, with the charts under the names that [`Document::figures`] gives them.
    pub fn markdown(&self) -> String {
        let mut number = 0;
        let mut parts = vec![format!("# {}\n", self.title)];
        for section in &self.sections {
            parts.push(format!("\n## {}\n\n{}\n", section.title, section.summary.join("\n\n")));
            for table in &section.tables {
                parts.push(format!("\n{}", table.markdown()));
            }
            for figure in &section.figures {
                number += 1;
                parts.push(format!("\n![{}](figure-{number}.svg)\n", figure.title));
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
        let all = self.sections.iter().flat_map(|section| &section.figures).enumerate();
        all.map(|(index, figure)| Ok((format!("figure-{}.svg", index + 1), figure.svg()?))).collect()
    }
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
        format!("<table>\n{}{}</table>\n", row(&self.header, "th"), rows.concat())
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
