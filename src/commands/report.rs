use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use experiment::Experiment;
use files::{FolderLock, OutputFile, WorkFolder, claim, if_there, run::FolderKind};
use strength::report::{document::Document, sections::section};
use terminal::print_line;
use training::{LossCurve, draw_loss_curves};

/// Write a report of results: a self-contained HTML file with tables and charts, Markdown and JSON.
///
/// The HTML file is the results view of the page and opens offline; a program built without the page does not write it. For the
/// folder of a run of `tabiya run`, the report begins with each published number next to the result of the run. Inputs are the
/// --json output of match, ladder, suite and metrics, of `net validate`, strength tables of calibrate, folders of matches and ladders
/// (--out), and training runs. The held-out value losses of the runs are drawn in one figure, losses.svg.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya report ladders/default suite.json runs/first --out report
  tabiya report runs/knights-el runs/knights-e7 --published knights-kernels-loss-history.csv")]
pub(crate) struct Arguments {
    /// Results: JSON files, `log.jsonl`, or folders that hold a result.json or a log.jsonl
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// Folder for report.html, report.md and report.json
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    out: PathBuf,
    /// Published losses to draw in the same figure as those of the runs: a CSV with model, split, epoch and a loss, of which the
    /// rows of the split `validation` are used
    #[arg(long, value_name = "TABLE")]
    published: Option<PathBuf>,
    /// Title of the report
    #[arg(long, value_name = "TEXT", default_value = "Measured strength")]
    title: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (mut sections, mut curves, mut opening) = (Vec::new(), Vec::new(), Vec::new());
    let runs: Vec<&PathBuf> =
        arguments.results.iter().filter(|path| path.join(files::run::EXPERIMENT).is_file()).collect();
    for run in &runs {
        let experiment = Experiment::read(&run.join(files::run::EXPERIMENT), super::check)?;
        let name = run.file_name().filter(|_| runs.len() > 1);
        let name = name.map(|name| format!("{}: ", name.to_string_lossy())).unwrap_or_default();
        opening.extend(experiment.pairings(run)?.iter().map(|pairing| format!("{name}{pairing}")));
    }
    for path in &arguments.results {
        let file = result_of(path)?;
        let text = files::read_text(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut section = section(&file.display().to_string(), &text)?;
        if file.file_name().is_some_and(|name| name == files::run::LOG) && is_training_log(&text) {
            let folder = file.parent().unwrap_or(&file);
            section.summary.extend(without_outcome(folder).map(String::from));
            let name = folder.file_name().unwrap_or_default();
            curves.extend(LossCurve::of_log(&name.to_string_lossy(), &file, &text)?);
        }
        sections.push(section);
    }
    let losses = losses(curves, arguments.published.as_deref())?;
    let document = Document::new(&arguments.title, sections).opened_by(opening);
    let json = serde_json::to_string_pretty(&document)?;
    claim(&arguments.out, &FolderKind::REPORT)?;
    let markdown = arguments.out.join("report.md");
    write(&markdown, &document.markdown())?;
    let page = write_page(&arguments.out, web::report_page(&json).as_deref())?;
    write(&arguments.out.join(files::run::REPORT), &(json + "\n"))?;
    if let Some(losses) = losses {
        write(&arguments.out.join("losses.svg"), &losses)?;
    }
    let shown = page.unwrap_or(markdown);
    writeln!(std::io::stdout(), "{}", shown.display()).context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// Writes report.html, if the program was built with the page that draws it. Otherwise an experiment still ends with the other files,
/// and without a page of earlier results.
fn write_page(out: &Path, page: Option<&str>) -> Result<Option<PathBuf>> {
    let file = out.join("report.html");
    if let Some(page) = page {
        write(&file, page)?;
        return Ok(Some(file));
    }
    print_line(&format!(
        "no {}: this program was built without its page, which draws it (scripts/build-page makes the page)",
        file.display()
    ));
    if_there(std::fs::remove_file(&file)).with_context(|| format!("cannot remove {}", file.display()))?;
    Ok(None)
}

/// The figure of the runs' losses and of a published table; `None` if no run has losses and there is no table.
fn losses(mut curves: Vec<LossCurve>, published: Option<&Path>) -> Result<Option<String>> {
    if let Some(table) = published {
        let place = table.display().to_string();
        let text = files::read_text(table).with_context(|| format!("cannot read {place}"))?;
        curves.extend(LossCurve::published(&text).map_err(anyhow::Error::msg).context(place)?);
    } else if curves.is_empty() {
        return Ok(None);
    }
    Ok(Some(draw_loss_curves("Value loss on held-out positions", &curves).map_err(anyhow::Error::msg)?))
}

/// False for the logs of self-play and REINFORCE, whose first line has the key `selfplay` or `reinforce`.
fn is_training_log(text: &str) -> bool {
    let first = text.lines().next().map(serde_json::from_str::<serde_json::Value>);
    !matches!(first, Some(Ok(line)) if ["selfplay", "reinforce"].iter().any(|kind| line.get(kind).is_some()))
}

/// The state of a training of this program that has no outcome. Logs of other programs say nothing about it.
fn without_outcome(folder: &Path) -> Option<&'static str> {
    if !folder.join(WorkFolder::SETUP).exists() || folder.join(files::run::SUMMARY).exists() {
        return None;
    }
    Some(if FolderLock::is_held(folder) == Some(true) {
        "The training is in progress."
    } else {
        "The training was stopped before its end."
    })
}

/// Files that mark a folder as holding a result.
const IN_FOLDER: [&str; 2] = [files::run::RESULT, files::run::LOG];

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

#[cfg(test)]
mod tests {
    use super::*;

    /// `tabiya run` failed at its last step, and showed no published number, if there was no page to draw it.
    #[test]
    fn a_program_without_its_page_writes_no_page_and_leaves_no_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.html");
        assert_eq!(write_page(folder.path(), Some("<p>old")).unwrap(), Some(file.clone()));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "<p>old");
        for _ in 0..2 {
            assert_eq!(write_page(folder.path(), None).unwrap(), None);
            assert!(!file.exists());
        }
    }
}
