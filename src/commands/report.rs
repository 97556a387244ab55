use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use output::OutputFile;
use strength::report::{document::Document, sections::section};

/// Write a report of results: a self-contained HTML file with tables and charts, Markdown and JSON.
///
/// The HTML file is the results view of the page and opens offline. Inputs are the --json output of match, ladder, suite and
/// metrics, strength tables of calibrate, folders of matches and ladders (--out), and training runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya report ladders/default suite.json runs/first --out report")]
pub(crate) struct Arguments {
    /// Results: JSON files, `log.jsonl`, or folders that hold a result.json or a log.jsonl
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// Folder for report.html, report.md and report.json
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    out: PathBuf,
    /// Title of the report
    #[arg(long, value_name = "TEXT", default_value = "Measured strength")]
    title: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut sections = Vec::new();
    for path in &arguments.results {
        let file = result_of(path)?;
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        sections.push(section(&file.display().to_string(), &text)?);
    }
    let document = Document::new(&arguments.title, sections);
    let json = serde_json::to_string_pretty(&document)?;
    let page = web::report_page(&json).context(
        "this program was built without its page, which draws report.html: run scripts/build-page and build again",
    )?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make the folder {}", arguments.out.display()))?;
    write(&arguments.out.join("report.html"), &page)?;
    write(&arguments.out.join("report.md"), &document.markdown())?;
    write(&arguments.out.join("report.json"), &(json + "\n"))?;
    let shown = arguments.out.join("report.html");
    writeln!(std::io::stdout(), "{}", shown.display()).context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// Files by which a folder is known to hold a result.
const IN_FOLDER: [&str; 2] = ["result.json", "log.jsonl"];

/// The file of a folder that holds a result, or the file itself.
fn result_of(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.into());
    }
    let found = IN_FOLDER.iter().map(|name| path.join(name)).find(|file| file.is_file());
    found.with_context(|| {
        let names = IN_FOLDER.join(" nor ");
        format!(
            "{} holds no result: found neither {names}, expected the folder of a finished match or ladder (--out) or of a \
             training run",
            path.display()
        )
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    Ok(OutputFile::open(path)?.finish(text)?)
}
