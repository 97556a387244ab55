//! The section `[data]`: the commands of this program that make the store of the samples.
//!
//! Each kind of data is a key of the section: a [`Kind`] in `data/inputs.rs` or `data/labels.rs`, and a row in [`KINDS`]. A kind
//! adds inputs, commands that produce them, or the command that builds the store from them, by default `data build`.

mod inputs;
mod labels;

use std::path::{Path, PathBuf};

use chess::Fnv1a;
use files::WorkFolder;
use player::plain;
use serde::{Deserialize, Serialize};
use training::Scale;

use crate::{
    ExperimentError, Output, Step,
    estimate::{EstimateStep, engine_time, short},
    scale::{limit_positions, positions_of_files},
    step::{DATA, text},
};

pub(crate) struct Kind {
    /// Its key in the section.
    key: &'static str,
    /// Adds the kind to the commands.
    add: fn(&toml::Value, &mut Making) -> Result<(), ExperimentError>,
}

/// The kinds of data, in the order in which they are made.
const KINDS: [Kind; 5] =
    [inputs::SOURCES, inputs::GENERATE, inputs::EXTRACT, labels::LABEL, labels::NEIGHBOURS];

/// The kinds that games and positions given on the command line replace.
const INPUT_KINDS: [&str; 2] = [inputs::SOURCES.key, inputs::GENERATE.key];

/// A command of `tabiya data` that makes a store of games.
struct StoreCommand {
    word: &'static str,
    /// True if it can be continued.
    resumes: bool,
    estimate: EstimateStep,
}

const BUILD_COMMAND: StoreCommand = StoreCommand { word: "build", resumes: false, estimate: short };
const LABEL_COMMAND: StoreCommand = StoreCommand { word: "label", resumes: true, estimate: engine_time };

/// Maximum bytes of the inputs' names in the name of their store. Beyond it the name has a quarter as many of
/// their characters and a hash of all: file systems allow 255 bytes, and files next to the store have longer
/// names.
const LONGEST_NAME: usize = 120;

/// The section `[data]` of a recipe: how its sample store is made.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DataSection {
    /// Folder of the sample store that the commands make.
    pub store: PathBuf,
    /// Options of the command that makes the store, without their hyphens.
    #[serde(default)]
    options: toml::Table,
    /// The kinds of data by their keys.
    #[serde(flatten)]
    kinds: toml::Table,
}

/// The commands found so far for a store.
pub(crate) struct Making {
    /// The final store.
    product: PathBuf,
    /// Files of games and positions.
    inputs: Vec<String>,
    /// Positions of the games that an engine plays, if their number is known.
    positions: Option<u64>,
    /// Commands that produce the inputs of the others.
    before: Vec<Step>,
    /// The stores that are merged into the product, or only the product; the first is the store of the inputs themselves.
    parts: Vec<Part>,
}

/// A store built from all inputs by one command.
struct Part {
    name: String,
    store: PathBuf,
    command: StoreCommand,
    /// Its options before and after the inputs.
    options: [Vec<String>; 2],
}

impl Part {
    /// The step; `product` is the store into which this one is merged with other parts.
    fn step(self, inputs: &[String], product: Option<&Path>) -> Step {
        // The options after the inputs may name a file that the command writes.
        let named = self.options[0].clone();
        let Self { name, store, command, options: [first, last] } = self;
        let begun = command.resumes.then(|| beside(&store, ".labelling").join(WorkFolder::SETUP));
        let words = ["data", command.word].map(String::from).to_vec();
        let arguments = [words, vec![text(&store)], first, inputs.to_vec(), last].concat();
        let output = match (product, begun) {
            (Some(product), begun) => Output::Material { begun, result: store, product: product.into() },
            (None, Some(begun)) => Output::Folder { begun, result: store },
            (None, None) => Output::Whole(store),
        };
        let inputs = inputs.iter().map(PathBuf::from).collect();
        Step { inputs, named, estimate: command.estimate, ..Step::new(&name, arguments, output) }
    }
}

impl DataSection {
    pub(crate) fn read(table: &toml::Table) -> Result<Self, ExperimentError> {
        let section: Self = table
            .clone()
            .try_into()
            .map_err(|error| ExperimentError::Unexpected(format!("[data]: {error}")))?;
        if let Some(key) = section.kinds.keys().find(|key| KINDS.iter().all(|kind| kind.key != key.as_str()))
        {
            let keys: Vec<_> = KINDS.iter().map(|kind| format!("`{}`", kind.key)).collect();
            return Err(ExperimentError::Unexpected(format!(
                "[data]: unknown field `{key}`, expected one of `store`, `options`, {}",
                keys.join(", ")
            )));
        }
        Ok(section)
    }

    /// The section with other games and positions, built into their own store next to the recipe's; at a
    /// scale, limited to as many positions as the recipe's own games have at that scale.
    pub(crate) fn with_inputs(mut self, files: &[String], scale: Option<Scale>) -> Self {
        let names = files.iter().filter_map(|file| Path::new(file).file_name());
        let names: Vec<_> = names.map(std::ffi::OsStr::to_string_lossy).collect();
        let mut named = names.join("-");
        if named.len() > LONGEST_NAME {
            let mut hash = Fnv1a::default();
            hash.add(named.as_bytes());
            let beginning: String = named.chars().take(LONGEST_NAME / 4).collect();
            named = format!("{beginning}-{:016x}", hash.get());
        }
        let mut store = self.store.into_os_string();
        store.push(format!("-of-{named}"));
        self.store = store.into();
        if scale.is_some() {
            let most = positions_of_files(&self.kinds);
            limit_positions(&mut self.kinds, most);
            if let Some(toml::Value::Table(limits)) = self.kinds.remove("options") {
                for (key, value) in limits {
                    self.options.entry(key).or_insert(value);
                }
            }
        }
        // The keys that process the inputs stay: labels and neighbours.
        self.kinds.retain(|key, _| !INPUT_KINDS.contains(&key));
        let files = files.iter().cloned().map(toml::Value::String).collect();
        self.kinds.insert(inputs::SOURCES.key.into(), toml::Value::Array(files));
        self
    }

    /// The commands that make the store.
    pub(crate) fn steps(&self) -> Result<Vec<Step>, ExperimentError> {
        let product = self.store.clone();
        let is_one_of_several = self.kinds.contains_key(labels::NEIGHBOURS.key);
        let first = Part {
            name: if is_one_of_several { format!("{DATA} games") } else { DATA.into() },
            store: if is_one_of_several { beside(&product, ".games") } else { product.clone() },
            command: BUILD_COMMAND,
            options: [Vec::new(), options(&self.options)],
        };
        let mut making =
            Making { product, inputs: Vec::new(), positions: None, before: Vec::new(), parts: vec![first] };
        for Kind { key, add } in &KINDS {
            if let Some(value) = self.kinds.get(*key) {
                add(value, &mut making)?;
            }
        }
        let Making { product, inputs, positions, before: mut steps, parts } = making;
        if inputs.is_empty() {
            return Err(ExperimentError::Unexpected(
                "[data]: found no games or positions, expected `sources` (files) or `generate` (games of an engine)".into(),
            ));
        }
        let stores: Vec<String> = parts.iter().map(|part| text(&part.store)).collect();
        // Taken before the parts are added: each store is built from the inputs, not from the stores before
        // it.
        let made_of = settings_of(&steps);
        let mut named: Vec<String> = steps.iter().flat_map(|step| step.arguments.clone()).collect();
        let made_by = named.clone();
        let turned_into = is_one_of_several.then_some(product.as_path());
        for part in parts {
            let step = part.step(&inputs, turned_into);
            named.extend(step.named.iter().cloned());
            let own = [made_by.clone(), step.named.clone()].concat();
            steps.push(Step { settings: made_of.clone(), named: own, ..step });
        }
        if is_one_of_several {
            let words = ["data", "merge"].map(String::from).to_vec();
            let arguments = [words, vec![text(&product)], stores].concat();
            let merged = Step::new(DATA, arguments, Output::Whole(product));
            // After merging, the parts are no longer needed, but what they were made of must not change.
            let inputs = inputs.iter().map(PathBuf::from).collect();
            steps.push(Step { settings: settings_of(&steps), inputs, named, ..merged });
        }
        // Next to the store, so that other experiments with the same store do not build it again.
        let record = Some(beside(&self.store, ".made.json"));
        Ok(steps.into_iter().map(|step| Step { record: record.clone(), positions, ..step }).collect())
    }
}

/// The settings that made the inputs of a store, which identify it. A store is accepted as done only if they are the same:
/// the arguments of its own command name the files of the inputs, not how these came about.
fn settings_of(steps: &[Step]) -> String {
    steps.iter().map(|step| step.arguments.join(" ")).collect::<Vec<_>>().join("; ")
}

/// True for a sample store.
pub(crate) fn is_store(path: &Path) -> bool {
    path.join(files::run::MANIFEST).is_file()
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

/// The path of a file or folder next to another.
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
