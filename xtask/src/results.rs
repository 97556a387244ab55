//! `cargo xtask results`: writes `docs/results.md` and the figures of the README from `docs/results.toml` and the result files
//! that it names, so that a figure stands in one place and its interval comes from the games themselves.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::repository;

const LIST: &str = "docs/results.toml";
const PAGE: &str = "docs/results.md";
const README: &str = "README.md";
/// The README's list of figures stands between these lines.
const MARKS: [&str; 2] =
    ["<!-- figures: written by `cargo xtask results` -->\n", "<!-- end of figures -->\n"];

const HEAD: &str = "\
# Results

Written by `cargo xtask results` from [results.toml](results.toml). Each figure names the network, machine and commit that it was
measured with; intervals are 95 %. How it was measured and what was tried before: [experiments](experiments/README.md).
";

/// The file `docs/results.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    result: Vec<Entry>,
}

/// A published figure with its network, conditions, machine and commit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Title on the page.
    figure: String,
    /// The figure in words; absent where `file` has it.
    value: Option<String>,
    /// A result file of `tabiya match` or `tabiya ladder`, relative to `docs`.
    file: Option<String>,
    network: Option<String>,
    /// Games, limits, opponents.
    conditions: String,
    machine: String,
    commit: String,
    command: String,
    /// A reason to read the figure with care.
    caveat: Option<String>,
    /// The README's sentence, with `{}` where the figure goes.
    readme: Option<String>,
}

/// Writes both documents.
pub(crate) fn write() -> Result<()> {
    for (path, _, expected) in documents()? {
        let file = repository::root().join(path);
        std::fs::write(&file, expected).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Fails unless both documents are exactly as [`write()`] would make them.
pub(crate) fn check() -> Result<()> {
    for (path, found, expected) in documents()? {
        ensure!(found == expected, "{path} differs from {LIST}; `cargo xtask results` writes it");
    }
    Ok(())
}

/// Path, present text and expected text of each document.
fn documents() -> Result<[(&'static str, String, String); 2]> {
    let list: List = toml::from_str(&read(LIST)?).with_context(|| format!("cannot read {LIST}"))?;
    let mut figures = Vec::with_capacity(list.result.len());
    for entry in &list.result {
        figures.push(figure(entry).with_context(|| format!("{LIST}: {}", entry.figure))?);
    }
    let page = page(&list.result, &figures);
    // A page that does not exist yet differs from every page.
    let found = read(PAGE).unwrap_or_default();
    let readme = read(README)?;
    let expected = with_figures(&readme, &list.result, &figures)?;
    Ok([(PAGE, found, page), (README, readme, expected)])
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(repository::root().join(path)).with_context(|| format!("cannot read {path}"))
}

fn figure(entry: &Entry) -> Result<String> {
    match (&entry.value, &entry.file) {
        (Some(value), None) => Ok(value.clone()),
        (None, Some(file)) => {
            let text = read(&format!("docs/{file}"))?;
            of_result(&serde_json::from_str(&text)?).with_context(|| format!("docs/{file}"))
        }
        _ => bail!("expected either value or file"),
    }
}

/// The figure in a result file: a rating, or the games and the difference of a match.
fn of_result(result: &Value) -> Result<String> {
    match result["kind"].as_str() {
        Some("tabiya-ladder-1") => Ok(estimate(&result["rating"], "")?),
        Some("tabiya-match-1") => {
            let [wins, draws, losses] = ["wins", "draws", "losses"].map(|part| &result["games"][part]);
            Ok(format!("{wins} wins, {draws} draws, {losses} losses, {} Elo", estimate(&result["elo"], "+")?))
        }
        other => bail!("kind {other:?}: expected tabiya-ladder-1 or tabiya-match-1"),
    }
}

/// An estimate with its interval; `plus` stands before numbers that are not negative.
fn estimate(found: &Value, plus: &str) -> Result<String> {
    let number = |name: &str| -> Result<String> {
        let value = found[name].as_f64().with_context(|| format!("{name} is missing: too few games"))?;
        Ok(format!("{}{value:.0}", if value >= 0.0 { plus } else { "" }))
    };
    Ok(format!("{} ({} to {})", number("elo")?, number("lower")?, number("upper")?))
}

fn page(entries: &[Entry], figures: &[String]) -> String {
    let mut page = HEAD.to_owned();
    for (entry, figure) in entries.iter().zip(figures) {
        let Entry { figure: title, network, conditions, machine, commit, command, caveat, .. } = entry;
        let network = network.as_ref().map(|network| format!("- Network: {network}\n")).unwrap_or_default();
        let caveat = caveat.as_ref().map(|caveat| format!("- Caveat: {caveat}\n")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {title}\n\n**{figure}**\n\n- Conditions: {conditions}\n{network}- Machine: {machine}\n- Commit: \
             {commit}\n{caveat}\n    {command}\n"
        );
    }
    page
}

/// The README with the sentences of the list between its marks.
fn with_figures(readme: &str, entries: &[Entry], figures: &[String]) -> Result<String> {
    let [begin, end] = MARKS;
    let (before, rest) =
        readme.split_once(begin).with_context(|| format!("{README} lacks the line {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("{README} lacks the line {end}"))?;
    let sentences: String = entries
        .iter()
        .zip(figures)
        .filter_map(|(entry, figure)| Some(format!("- {}\n", entry.readme.as_ref()?.replace("{}", figure))))
        .collect();
    Ok(format!("{before}{begin}{sentences}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_come_from_result_files() {
        let ladder = json!({"kind": "tabiya-ladder-1", "rating": {"elo": 2166.6, "lower": 2114.2, "upper": 2219.0, "games": 200}});
        assert_eq!(of_result(&ladder).unwrap(), "2167 (2114 to 2219)");
        let games = json!({"wins": 47, "draws": 13, "losses": 0});
        let played = json!({"kind": "tabiya-match-1", "games": games, "elo": {"elo": 10.4, "lower": -3.2, "upper": 24.0}});
        assert_eq!(of_result(&played).unwrap(), "47 wins, 13 draws, 0 losses, +10 (-3 to +24) Elo");
        let unbounded =
            json!({"kind": "tabiya-ladder-1", "rating": {"elo": null, "lower": 2000.0, "upper": null}});
        assert!(of_result(&unbounded).unwrap_err().to_string().contains("elo is missing"));
        assert!(of_result(&json!({"kind": "something"})).is_err());
    }

    #[test]
    fn sentences_replace_what_stands_between_the_marks() {
        let entry = |readme: Option<&str>| Entry {
            figure: "Rating".into(),
            value: Some("2000".into()),
            file: None,
            network: Some("n".into()),
            conditions: "c".into(),
            machine: "m".into(),
            commit: "0".into(),
            command: "tabiya bench".into(),
            caveat: Some("few games".into()),
            readme: readme.map(Into::into),
        };
        let entries = [entry(Some("It plays at {} Elo.")), entry(None)];
        let figures = ["2000".to_owned(), "1".to_owned()];
        let [begin, end] = MARKS;
        let readme = format!("# T\n{begin}- old\n{end}rest\n");
        let written = with_figures(&readme, &entries, &figures).unwrap();
        assert_eq!(written, format!("# T\n{begin}- It plays at 2000 Elo.\n{end}rest\n"));
        assert_eq!(with_figures(&written, &entries, &figures).unwrap(), written);
        assert!(with_figures("# T\n", &entries, &figures).is_err());
        assert!(
            page(&entries, &figures).contains("**2000**") && page(&entries, &figures).contains("few games")
        );
    }
}
