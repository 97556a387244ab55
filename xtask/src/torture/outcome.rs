//! Results of a command as named facts: if the facts of two runs differ, one of them lost, doubled or changed
//! something.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// Facts by their names.
pub(crate) type Facts = BTreeMap<String, String>;

/// Parts of the keys of values that differ from run to run without being lost, doubled or different: times, processor,
/// GPU and memory in use, and the program that made them.
const CHANGING: &[&str] = &[
    "second",
    "millis",
    "_ms",
    "time",
    "elapsed",
    "date",
    "started",
    "created",
    "commit",
    "machine",
    "resumed",
    "busy_cores",
    "resident_bytes",
    "gpu_load",
    "gpu_bytes",
];

/// Names the first facts that differ.
pub(crate) fn compare(expected: &Facts, found: &Facts) -> Result<()> {
    let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let mut differing = Vec::new();
    for name in names {
        let (expected, found) = (expected.get(name), found.get(name));
        if expected != found {
            let expected = expected.map_or("nothing", String::as_str);
            let found = found.map_or("nothing", String::as_str);
            let same = expected.chars().zip(found.chars()).take_while(|(one, other)| one == other).count();
            differing.push(format!(
                "{name}: found {}, expected {}",
                excerpt(found, same),
                excerpt(expected, same)
            ));
        }
    }
    let more = differing.len().saturating_sub(3);
    ensure!(
        differing.is_empty(),
        "{}{}",
        differing.iter().take(3).cloned().collect::<Vec<_>>().join("; "),
        if more > 0 { format!("; and {more} more") } else { String::new() }
    );
    Ok(())
}

/// The part of a long value around the first character that differs, after `same` equal ones.
fn excerpt(text: &str, same: usize) -> String {
    text.chars().skip(same.saturating_sub(60)).take(200).collect()
}

/// Every file below a place, by its bytes, and the names in the folder.
pub(crate) fn contents(folder: &Path, place: &str) -> Result<Facts> {
    let mut facts = beside(folder)?;
    let mut paths = vec![folder.join(place)];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = path.read_dir().with_context(|| format!("cannot list {}", path.display()))?;
            paths.extend(entries.collect::<Result<Vec<_>, _>>()?.into_iter().map(|entry| entry.path()));
        } else {
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            facts.insert(
                relative(folder, &path),
                format!("{} bytes, hash {:016x}", bytes.len(), hash(&bytes)),
            );
        }
    }
    Ok(facts)
}

/// The games of the match of the stage's experiment, after the path of its run.
pub(crate) const EVALUATION_GAMES: &str = "/evaluation/games/games.jsonl";

/// The store, the training and the games of an experiment. The result of the match names the file of the network, which holds the
/// seconds of its training.
pub(crate) fn experiment(folder: &Path, place: &str) -> Result<Facts> {
    let mut facts = contents(folder, "made.store")?;
    facts.extend(training(folder, place)?);
    let count = add_games(&folder.join(format!("{place}{EVALUATION_GAMES}")), &mut facts)?;
    facts.insert("games of the evaluation".into(), count.to_string());
    Ok(facts)
}

/// The games of a journal in any order, their results, and the number of games in the file of games.
pub(crate) fn games(folder: &Path, place: &str) -> Result<Facts> {
    let mut facts = beside(folder)?;
    let place = folder.join(place);
    let count = add_games(&place.join("games.jsonl"), &mut facts)?;
    let pgn = read(&place.join("games.pgn"))?.matches("[Event ").count();
    facts.insert("games of journal and file".into(), format!("{count} {pgn}"));
    for file in [place.join("result.json"), folder.join("table.json")] {
        if file.exists() {
            let result =
                serde_json::from_str(&read(&file)?).with_context(|| format!("{}", file.display()))?;
            facts.insert(relative(folder, &file), lasting_part(result).to_string());
        }
    }
    Ok(facts)
}

/// Adds the games of a journal, and returns their number.
fn add_games(journal: &Path, facts: &mut Facts) -> Result<usize> {
    let mut count = 0;
    for line in read(journal)?.lines() {
        let mut line: Value = serde_json::from_str(line).with_context(|| format!("journal: {line}"))?;
        if let Some(game) = line.as_object_mut() {
            // It covers the times of the game.
            game.remove("hash");
        }
        let line = lasting_part(line).to_string();
        count += 1;
        // An equal line would be a doubled one.
        if facts.insert(format!("game {:016x}", hash(line.as_bytes())), line).is_some() {
            bail!("a game is in the journal twice");
        }
    }
    Ok(count)
}

/// The weights of every network, whichever process trained it, and every line of the log.
pub(crate) fn training(folder: &Path, place: &str) -> Result<Facts> {
    let mut facts = beside(folder)?;
    let run = folder.join(place);
    for line in read(&run.join("log.jsonl"))?.lines() {
        let line = lasting_part(serde_json::from_str(line).with_context(|| format!("log: {line}"))?);
        let Some(step) = line.get("step").cloned() else { continue };
        let kind = line.get("kind").or_else(|| line.get("type")).cloned().unwrap_or_default();
        if facts.insert(format!("step {step} {kind}"), line.to_string()).is_some() {
            bail!("step {step} is in the log twice");
        }
    }
    let mut networks = 0;
    for entry in run.read_dir().context("cannot list the run")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tabiya") {
            networks += 1;
            facts.insert(format!("weights of {name}"), weights(&entry.path())?);
        }
        facts.insert(format!("in the run: {name}"), String::new());
    }
    ensure!(networks > 0, "found no network in the run");
    Ok(facts)
}

/// Length and hash of the numbers of a network: a safetensors file has the length of its header, the header, which names the trainer,
/// and the numbers.
fn weights(path: &Path) -> Result<String> {
    let network = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (length, _) = network.split_first_chunk().context("a network without a header")?;
    let begin = 8 + usize::try_from(u64::from_le_bytes(*length))?;
    let numbers = network.get(begin..).context("a network without numbers")?;
    Ok(format!("{} bytes, hash {:016x}", numbers.len(), hash(numbers)))
}

/// Numbers of games and networks. The games themselves are not compared: which game is played where depends on when
/// processes end.
pub(crate) fn selfplay(folder: &Path, place: &str) -> Result<Facts> {
    let mut facts = beside(folder)?;
    let store = folder.join(place);
    let games = selfplay_games(&store.join("games"))?;
    let mut generations: BTreeMap<&str, usize> = BTreeMap::new();
    for game in &games {
        *generations.entry(game.split('/').next().unwrap_or_default()).or_default() += 1;
    }
    facts.insert("games".into(), format!("{generations:?}"));
    for entry in store.join("networks").read_dir().context("cannot list the networks")? {
        facts.insert(format!("network {}", entry?.file_name().to_string_lossy()), String::new());
    }
    Ok(facts)
}

/// The finished games in the folder of games of a replay store: generation and name.
pub(crate) fn selfplay_games(games: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    if !games.exists() {
        return Ok(found);
    }
    for generation in games.read_dir().context("cannot list the generations")? {
        let generation = generation?.path();
        for game in generation.read_dir().with_context(|| format!("cannot list {}", generation.display()))? {
            let path = game?.path();
            // Files that a killed process was writing lie beside the others under a name with a `#`.
            if path.to_string_lossy().ends_with(".json.zst") {
                found.insert(relative(games, &path));
            }
        }
    }
    Ok(found)
}

/// The names in the folder of the command. The lock file of a killed process may remain; it blocks nothing.
fn beside(folder: &Path) -> Result<Facts> {
    let mut facts = Facts::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_lock = name.strip_prefix('.').is_some_and(|rest| rest.strip_suffix(".lock").is_some());
        if !is_lock {
            facts.insert(format!("in the folder: {name}"), String::new());
        }
    }
    Ok(facts)
}

/// A value without the parts that change from run to run.
fn lasting_part(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let lasting =
                entries.into_iter().filter(|(key, _)| !CHANGING.iter().any(|part| key.contains(part)));
            Value::Object(lasting.map(|(key, value)| (key, lasting_part(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(lasting_part).collect()),
        // The machine, in a sentence of several facts.
        Value::String(text) => Value::String(without_load(&text)),
        other => other,
    }
}

/// A text without the load of the machine that conditions name.
fn without_load(text: &str) -> String {
    if let Some((before, rest)) = text.split_once(", load ")
        && let Some((_, after)) = rest.split_once(" at the start")
    {
        return format!("{before}{after}");
    }
    text.to_owned()
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn relative(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(journal: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("m")).unwrap();
        std::fs::write(folder.path().join("m/games.jsonl"), journal).unwrap();
        std::fs::write(folder.path().join("m/games.pgn"), "[Event \"a\"]\n[Event \"b\"]\n").unwrap();
        folder
    }

    #[test]
    fn games_are_compared_without_order_and_times_and_a_doubled_one_is_found() {
        let facts = |journal: &str| games(place(journal).path(), "m");
        let first =
            facts("{\"game\":1,\"time_ms\":5,\"hash\":\"a\"}\n{\"game\":2,\"x\":{\"seconds\":1}}\n").unwrap();
        let other =
            facts("{\"game\":2,\"x\":{\"seconds\":7}}\n{\"game\":1,\"time_ms\":9,\"hash\":\"b\"}\n").unwrap();
        compare(&first, &other).unwrap();
        assert!(facts("{\"game\":1,\"time_ms\":5}\n{\"game\":1,\"time_ms\":6}\n").is_err());
        let lost = facts("{\"game\":1}\n").unwrap();
        let message = compare(&first, &lost).unwrap_err().to_string();
        assert!(message.contains("expected {\"game\":2"), "{message}");
        assert_eq!(without_load("AMD, load 1.17 at the start; x"), "AMD; x");
    }

    #[test]
    fn a_changed_byte_and_a_file_left_behind_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("s")).unwrap();
        std::fs::write(folder.path().join("s/a"), "text").unwrap();
        let before = contents(folder.path(), "s").unwrap();
        std::fs::write(folder.path().join("s/a"), "texd").unwrap();
        std::fs::write(folder.path().join(".s.partial"), "").unwrap();
        std::fs::write(folder.path().join(".s.lock"), "1234").unwrap();
        let message = compare(&before, &contents(folder.path(), "s").unwrap()).unwrap_err().to_string();
        assert!(message.contains("s/a: found 4 bytes") && message.contains(".s.partial"), "{message}");
        assert!(!message.contains(".s.lock"), "{message}");
    }
}
