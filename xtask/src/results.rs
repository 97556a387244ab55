//! `cargo xtask results`: writes `docs/results.md` and the figures of the README from `docs/results.toml` and the result files
//! that it names, so that a figure is kept in one place and its interval comes from the games themselves. The check also
//! compares figures typed beside a stored result with that result, here and in the documents that link to it.

mod citations;
mod stored;
mod unkept;

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use self::{stored::Stored, unkept::UnkeptMatch};
use crate::repository;

const LIST: &str = "docs/results.toml";
const PAGE: &str = "docs/results.md";
const README: &str = "README.md";
/// The README's list of figures is between these lines.
const MARKS: [&str; 2] =
    ["<!-- figures: written by `cargo xtask results` -->\n", "<!-- end of figures -->\n"];

const HEAD: &str = "\
# Results

Written by `cargo xtask results` from [results.toml](results.toml). Each figure names the network, machine and commit that it was
measured with; intervals are 95 %. How it was measured and what was tried before: [experiments](experiments/README.md).
";

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
    /// The figure in words; absent if `file` or `games` has it.
    value: Option<String>,
    /// A result file of `tabiya match` or `tabiya ladder`, relative to `docs`.
    file: Option<String>,
    /// A match whose file was not kept, or the sum of several.
    games: Option<UnkeptMatch>,
    network: Option<String>,
    /// Games, limits, opponents.
    conditions: String,
    machine: String,
    commit: String,
    command: String,
    /// A reason to read the figure with care. `{FILE}` stands for the estimate of another result, `{FILE LEVEL}` for the score
    /// against a level of a ladder.
    caveat: Option<String>,
    /// The README's sentence, with `{}` in the place of the figure, and other results as above.
    readme: Option<String>,
}

/// Writes both documents.
pub(crate) fn write() -> Result<()> {
    for (path, _, expected) in documents(&list()?)? {
        let file = repository::root().join(path);
        std::fs::write(&file, expected).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Fails unless both documents are exactly as [`write()`] would make them, and other documents have the figures of the results that
/// they cite.
pub(crate) fn check() -> Result<()> {
    let list = list()?;
    for (path, found, expected) in documents(&list)? {
        ensure!(found == expected, "{path} differs from {LIST}; `cargo xtask results` writes it");
    }
    let files: Vec<&str> = list.iter().filter_map(|entry| entry.file.as_deref()).collect();
    citations::check(&files)
}

fn list() -> Result<Vec<Entry>> {
    let list: List = toml::from_str(&read(LIST)?).with_context(|| format!("cannot read {LIST}"))?;
    list.result
        .into_iter()
        .map(|entry| {
            let title = entry.figure.clone();
            fill(entry).with_context(|| format!("{LIST}: {title}"))
        })
        .collect()
}

/// Path, present text and expected text of each document.
fn documents(entries: &[Entry]) -> Result<[(&'static str, String, String); 2]> {
    let mut figures = Vec::with_capacity(entries.len());
    for entry in entries {
        figures.push(figure(entry).with_context(|| format!("{LIST}: {}", entry.figure))?);
    }
    let page = page(entries, &figures);
    // A page that does not exist yet differs from every page.
    let found = read(PAGE).unwrap_or_default();
    let readme = read(README)?;
    let expected = with_figures(&readme, entries, &figures)?;
    Ok([(PAGE, found, page), (README, readme, expected)])
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(repository::root().join(path)).with_context(|| format!("cannot read {path}"))
}

fn stored(file: &str) -> Result<Stored> {
    Stored::parse(&read(&format!("docs/{file}"))?).with_context(|| format!("docs/{file}"))
}

fn figure(entry: &Entry) -> Result<String> {
    match (&entry.value, &entry.file, &entry.games) {
        (Some(value), None, None) => Ok(value.clone()),
        (None, Some(file), None) => {
            let stored = stored(file)?;
            stored.check_conditions(&entry.conditions, &entry.commit)?;
            stored.figure().with_context(|| format!("docs/{file}"))
        }
        (None, None, Some(games)) => games.figure(),
        _ => bail!("expected one of value, file and games"),
    }
}

/// An entry with the figures of other results in its sentences.
fn fill(mut entry: Entry) -> Result<Entry> {
    for text in [&mut entry.caveat, &mut entry.readme].into_iter().flatten() {
        *text = filled(text, &mut |file, level| match level {
            None => Ok(stored(file)?.estimates()?.join(", ")),
            Some(level) => stored(file)?.score_against(level),
        })?;
    }
    Ok(entry)
}

/// Replaces `{FILE}` and `{FILE LEVEL}` with what `look_up` finds; `{}` stays.
fn filled(text: &str, look_up: &mut dyn FnMut(&str, Option<&str>) -> Result<String>) -> Result<String> {
    let Some((before, rest)) = text.split_once('{') else { return Ok(text.to_owned()) };
    let (place, rest) =
        rest.split_once('}').with_context(|| format!("found {{{rest}, expected a closing brace"))?;
    let found = match place.split_once(' ') {
        None if place.is_empty() => "{}".to_owned(),
        None => look_up(place, None)?,
        Some((file, level)) => look_up(file, Some(level))?,
    };
    Ok(format!("{before}{found}{}", filled(rest, look_up)?))
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
    use super::*;

    #[test]
    fn other_results_stand_in_sentences() {
        let mut look_up = |file: &str, level: Option<&str>| {
            ensure!(file == "a.json", "no file {file}");
            Ok(level.map_or("7 (6 to 8)".to_owned(), |level| format!("50 % of {level}")))
        };
        let mut fill = |text| filled(text, &mut look_up);
        assert_eq!(fill("x {} y {a.json}, {a.json 2350}.").unwrap(), "x {} y 7 (6 to 8), 50 % of 2350.");
        assert!(fill("{b.json}").is_err());
        assert!(fill("{a.json").is_err());
    }

    #[test]
    fn sentences_replace_what_stands_between_the_marks() {
        let entry = |readme: Option<&str>| Entry {
            figure: "Rating".into(),
            value: Some("2000".into()),
            file: None,
            games: None,
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
