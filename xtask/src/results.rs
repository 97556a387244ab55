//! `cargo xtask results`: writes `docs/results.md` and the figures and tables of other documents from `docs/results.toml` and the
//! result files that it names, so that a figure is kept in one place and its interval comes from the games themselves. A figure
//! of a network of this repository is refused once the network is another one. The check also compares figures typed beside a
//! stored result with that result, and looks up the tests that `docs/seeds-checks.md` cites.

mod citations;
mod cited_tests;
mod stored;
mod systems;
mod unkept;

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use self::{stored::Stored, systems::System, unkept::UnkeptMatch};
use crate::repository::{self, read};

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
    /// The systems whose experiments can be repeated.
    system: Vec<System>,
}

/// A published figure with its network, conditions, machine and commit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Title on the page.
    figure: String,
    /// The figure in words; absent if `file` or `games` has it.
    value: Option<String>,
    /// A result file, relative to `docs`.
    file: Option<String>,
    /// The part of the file that is the figure, as [`Stored::part`] names it; absent for a match or a ladder, which have one.
    part: Option<String>,
    /// The network of this repository that was measured, a path; the file must be a result of the network that is there now.
    bundled: Option<String>,
    /// A match whose file was not kept, or the sum of several.
    games: Option<UnkeptMatch>,
    network: Option<String>,
    /// Games, limits, opponents.
    conditions: String,
    machine: String,
    commit: String,
    command: String,
    /// A reason to read the figure with care. `{FILE}` stands for the estimate of another result, `{FILE LEVEL}` for the score
    /// against a level of a ladder, `{NETWORK FILE PART}` for a part of a result of a network of this repository.
    caveat: Option<String>,
    /// The README's sentence, with `{}` in the place of the figure, and other results as above.
    readme: Option<String>,
}

/// Writes the documents.
pub(crate) fn write() -> Result<()> {
    for document in documents(&list()?)? {
        let file = repository::root().join(document.path);
        std::fs::write(&file, document.expected)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Fails unless the documents are exactly as [`write()`] would make them, other documents have the figures of the results that
/// they cite, and the tests exist that are cited.
pub(crate) fn check() -> Result<()> {
    let list = list()?;
    for Document { path, found, expected } in documents(&list)? {
        ensure!(found == expected, "{path} differs from {LIST}; `cargo xtask results` writes it");
    }
    let files: Vec<&str> = list.result.iter().filter_map(|entry| entry.file.as_deref()).collect();
    citations::check(&files)?;
    cited_tests::check()
}

fn list() -> Result<List> {
    let mut list: List = toml::from_str(&read(LIST)?).with_context(|| format!("cannot read {LIST}"))?;
    for entry in &mut list.result {
        let title = entry.figure.clone();
        fill(entry.sentences(), &title)?;
    }
    for system in &mut list.system {
        let title = system.name.clone();
        fill(system.cells(), &title)?;
    }
    Ok(list)
}

/// Fills in the results that some texts of an entry cite.
fn fill(texts: Vec<&mut String>, title: &str) -> Result<()> {
    for text in texts {
        *text = filled(text, &mut look_up).with_context(|| format!("{LIST}: {title}"))?;
    }
    Ok(())
}

/// A document that has figures of the list.
struct Document {
    path: &'static str,
    /// Its present text.
    found: String,
    expected: String,
}

fn documents(List { result: entries, system: systems }: &List) -> Result<[Document; 3]> {
    let mut figures = Vec::with_capacity(entries.len());
    for entry in entries {
        figures.push(figure(entry).with_context(|| format!("{LIST}: {}", entry.figure))?);
    }
    // A page that does not exist yet differs from every page.
    let found = read(PAGE).unwrap_or_default();
    let page = Document { path: PAGE, found, expected: page(entries, &figures) };
    let found = read(README)?;
    let expected = with_figures(&found, entries, &figures)?;
    let expected = systems::with_table(&expected, README, &systems::overview(systems))?;
    let readme = Document { path: README, found, expected };
    let found = read(systems::PAGE)?;
    let expected = systems::with_table(&found, systems::PAGE, &systems::numbers(systems))?;
    let comparison = Document { path: systems::PAGE, found, expected };
    Ok([page, readme, comparison])
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
            entry.bundled.iter().try_for_each(|network| stored.check_network(network))?;
            let figure = entry.part.as_ref().map_or_else(|| stored.figure(), |part| stored.part(part));
            figure.with_context(|| format!("docs/{file}"))
        }
        (None, None, Some(games)) => games.figure(),
        _ => bail!("expected one of value, file and games"),
    }
}

impl Entry {
    /// The texts in which other results are cited.
    fn sentences(&mut self) -> Vec<&mut String> {
        [&mut self.caveat, &mut self.readme].into_iter().flatten().collect()
    }
}

/// The figure that the words in a pair of braces stand for.
fn look_up(words: &[&str]) -> Result<String> {
    match *words {
        [file] => Ok(stored(file)?.estimates()?.join(", ")),
        [file, level] => stored(file)?.score_against(level),
        [network, file, part] => {
            let stored = stored(file)?;
            stored
                .check_network(network)
                .and_then(|()| stored.part(part))
                .with_context(|| format!("docs/{file}"))
        }
        _ => bail!("found {{{}}}, expected FILE, FILE LEVEL or NETWORK FILE PART", words.join(" ")),
    }
}

/// Replaces words in braces with what `look_up` finds for them; `{}` stays.
fn filled(text: &str, look_up: &mut dyn FnMut(&[&str]) -> Result<String>) -> Result<String> {
    let Some((before, rest)) = text.split_once('{') else { return Ok(text.to_owned()) };
    let (place, rest) =
        rest.split_once('}').with_context(|| format!("found {{{rest}, expected a closing brace"))?;
    let words: Vec<&str> = place.split_whitespace().collect();
    let found = if words.is_empty() { "{}".to_owned() } else { look_up(&words)? };
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
    let sentences: String = entries
        .iter()
        .zip(figures)
        .filter_map(|(entry, figure)| Some(format!("- {}\n", entry.readme.as_ref()?.replace("{}", figure))))
        .collect();
    between(readme, README, MARKS, &sentences)
}

/// The document with `text` in the place of what stands between two lines.
fn between(document: &str, path: &str, [begin, end]: [&str; 2], text: &str) -> Result<String> {
    let (before, rest) =
        document.split_once(begin).with_context(|| format!("{path} lacks the line {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("{path} lacks the line {end}"))?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_results_stand_in_sentences() {
        let mut look_up = |words: &[&str]| {
            ensure!(words.contains(&"a.json"), "no file {words:?}");
            Ok(match words {
                [_] => "7 (6 to 8)".to_owned(),
                [_, level] => format!("50 % of {level}"),
                _ => words.join("/"),
            })
        };
        let mut fill = |text| filled(text, &mut look_up);
        assert_eq!(fill("x {} y {a.json}, {a.json 2350}.").unwrap(), "x {} y 7 (6 to 8), 50 % of 2350.");
        assert_eq!(fill("{n.tabiya a.json x:%}").unwrap(), "n.tabiya/a.json/x:%");
        assert!(fill("{b.json}").is_err());
        assert!(fill("{a.json").is_err());
    }

    #[test]
    fn sentences_replace_what_stands_between_the_marks() {
        let entry = |readme: Option<&str>| Entry {
            figure: "Rating".into(),
            value: Some("2000".into()),
            file: None,
            part: None,
            bundled: None,
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
