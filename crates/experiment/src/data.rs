//! The section `[data]`: the commands of this program that make the store of the samples.
//!
//! Each kind of data is a key of the section: a file in `data/` and a row in [`KINDS`]. A kind names inputs, adds commands that make
//! them, or says which command makes the store of them; without one that does, `data build` does.

mod generate;
mod label;
mod sources;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{
    ExperimentError, Output, Step,
    steps::{DATA, plain, text},
};

/// A kind of data.
pub(crate) struct Kind {
    /// Its key in the section.
    key: &'static str,
    /// Adds it to what is made.
    add: fn(&toml::Value, &mut Making) -> Result<(), ExperimentError>,
}

/// The kinds of data, in the order in which they are made.
const KINDS: [Kind; 3] = [sources::KIND, generate::KIND, label::KIND];

/// The kinds that games and positions given on the command line replace.
const INPUT_KINDS: [&str; 2] = [sources::KIND.key, generate::KIND.key];

/// The file that makes a folder a sample store.
const MANIFEST: &str = "manifest.json";

/// The section `[data]`.
#[derive(Clone, Debug, Deserialize)]
pub struct DataSection {
    /// The store to build.
    pub store: PathBuf,
    /// Options of the command that makes the store, without their hyphens.
    #[serde(default)]
    options: toml::Table,
    /// The kinds of data by their keys.
    #[serde(flatten)]
    kinds: toml::Table,
}

/// A store in the making.
pub(crate) struct Making {
    store: PathBuf,
    /// Files of games and positions.
    inputs: Vec<String>,
    /// Commands that make some of the inputs.
    before: Vec<Step>,
    /// The command that makes the store, without its inputs.
    command: Vec<String>,
    /// Place where that command keeps unfinished work; `None` for a command that starts over.
    unfinished: Option<PathBuf>,
}

impl DataSection {
    /// Reads the section.
    pub(crate) fn read(table: &toml::Table) -> Result<Self, ExperimentError> {
        let section: Self = table
            .clone()
            .try_into()
            .map_err(|error| ExperimentError::Unexpected(format!("[data]: {error}")))?;
        let known = |key: &String| KINDS.iter().any(|kind| kind.key == key);
        if let Some(key) = section.kinds.keys().find(|key| !known(key)) {
            let keys: Vec<_> = KINDS.iter().map(|kind| format!("`{}`", kind.key)).collect();
            return Err(ExperimentError::Unexpected(format!(
                "[data]: unknown field `{key}`, expected one of `store`, `options`, {}",
                keys.join(", ")
            )));
        }
        Ok(section)
    }

    /// The section with other games and positions, which are made into a store of their own beside that of the recipe.
    pub(crate) fn with_inputs(mut self, files: &[String]) -> Self {
        let stem =
            |file: &String| Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
        let names: Vec<String> = files.iter().filter_map(stem).collect();
        let mut store = self.store.into_os_string();
        store.push(format!("-of-{}", names.join("-")));
        self.store = store.into();
        self.kinds.retain(|key, _| !INPUT_KINDS.contains(&key));
        let files = files.iter().cloned().map(toml::Value::String).collect();
        self.kinds.insert(sources::KIND.key.into(), toml::Value::Array(files));
        self
    }

    /// The commands that make the store.
    pub(crate) fn steps(&self) -> Result<Vec<Step>, ExperimentError> {
        let mut making = Making {
            store: self.store.clone(),
            inputs: Vec::new(),
            before: Vec::new(),
            command: ["data", "build"].map(String::from).to_vec(),
            unfinished: None,
        };
        making.command.push(text(&self.store));
        for Kind { key, add } in &KINDS {
            if let Some(value) = self.kinds.get(*key) {
                add(value, &mut making)?;
            }
        }
        if making.inputs.is_empty() {
            return Err(ExperimentError::Unexpected(
                "[data]: found no games or positions, expected `sources` (files) or `generate` (games of an engine)".into(),
            ));
        }
        let Making { store, inputs, before, command, unfinished } = making;
        let mut arguments = [command, inputs].concat();
        arguments.extend(options(&self.options));
        let output = match unfinished {
            Some(begun) => Output::Folder { begun, result: store },
            None => Output::Whole(store),
        };
        // The store depends on how its inputs were made.
        let settings: Vec<String> = before.iter().map(|step| step.arguments.join(" ")).collect();
        let made = Step { settings: settings.join("; "), ..Step::new(DATA, arguments, output) };
        let record = Some(beside(&self.store, ".made.json"));
        let recorded = |step| Step { record: record.clone(), ..step };
        Ok(before.into_iter().chain([made]).map(recorded).collect())
    }
}

/// True for a sample store.
pub(crate) fn is_store(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// Keys and values as options of a command.
fn options(table: &toml::Table) -> Vec<String> {
    let mut words = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Boolean(true) => words.push(format!("--{key}")),
            toml::Value::Boolean(false) => {}
            value => words.extend([format!("--{key}"), plain(value)]),
        }
    }
    words
}

/// The path of a file or folder beside another.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// The options in a key's table, which must name an engine.
fn engine_options(key: &str, value: &toml::Value) -> Result<Vec<String>, ExperimentError> {
    let expected = format!(
        "[data] {key}: expected a table with `engine`, such as {{ engine = \"uci=stockfish,nodes=1000\" }}"
    );
    let table = value.as_table().filter(|table| table.contains_key("engine"));
    table.map(options).ok_or(ExperimentError::Unexpected(expected))
}
