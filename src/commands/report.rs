//! `tabiya report`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use strength::report::{document::Document, sections::section};

/// Make a report of results: one self-contained page with charts, the same as Markdown, and as JSON.
///
/// Inputs are the --json output of match, ladder, suite and metrics, strength tables of calibrate, folders of matches and
/// ladders (--out), and training runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya report ladders/default suite.json runs/first --out report")]
pub(crate) struct Arguments {
    /// Results: JSON files, `log.jsonl`, or folders that hold a result.json or a log.jsonl
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// Folder for report.html, report.md, report.json and the charts
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    out: PathBuf,
    /// Title of the report
    #[arg(long, value_name = "TEXT", default_value = "Measured strength")]
    title: String,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut sections = Vec::new();
    for path in &arguments.results {
        let file = result_of(path);
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        sections.push(section(&file.display().to_string(), &text)?);
    }
    let document = Document { title: arguments.title.clone(), sections };
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make the folder {}", arguments.out.display()))?;
    write(&arguments.out.join("report.html"), &document.html()?)?;
    write(&arguments.out.join("report.md"), &document.markdown())?;
    write(&arguments.out.join("report.json"), &(serde_json::to_string_pretty(&document)? + "\n"))?;
    for (name, image) in document.figures()? {
        write(&arguments.out.join(name), &image)?;
    }
    let shown = arguments.out.join("report.html");
    writeln!(std::io::stdout(), "{}", shown.display()).context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// The file of a folder that holds a result.
fn result_of(path: &Path) -> PathBuf {
    let inside = ["result.json", "log.jsonl"].map(|name| path.join(name));
    inside.into_iter().find(|file| path.is_dir() && file.is_file()).unwrap_or_else(|| path.into())
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
