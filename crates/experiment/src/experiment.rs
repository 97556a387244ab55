//! The file of an experiment: the recipe of a training with the sections around it.

use std::path::{Path, PathBuf};

use output::OutputError;
use player::{PlayerSpecification, RUNS, SearchSection, SpecificationError, recipe_file, recipe_name};
use serde::Deserialize;

use crate::{
    ExperimentError,
    data::{self, DataSection},
    learning::Learning,
    step::text,
};

/// A recipe with the steps before and after the training.
pub struct Experiment {
    /// The recipe's file.
    pub file: PathBuf,
    /// The name of the file's folder, or of the file.
    pub name: String,
    /// The network or the learners to train.
    pub learning: Learning,
    /// The other sections of the file: data, search, evaluation, published results.
    pub sections: Sections,
    /// A store that is used instead of the recipe's.
    store: Option<PathBuf>,
    /// The section that makes that store, if it does not exist yet.
    other_data: Option<DataSection>,
    pub(crate) check_command: CheckCommand,
}

/// Tells whether arguments are a command of this program, without running it.
///
/// # Errors
/// The message of the command line.
pub type CheckCommand = fn(&[String]) -> Result<(), String>;

/// The sections that training does not read.
#[derive(Debug, Deserialize)]
pub struct Sections {
    /// The path of a store, or the section that makes one.
    data: toml::Value,
    /// Search of the trained network.
    #[serde(default)]
    pub search: SearchSection,
    /// Measurements, in the order in which they are made.
    #[serde(default)]
    pub evaluation: Vec<EvaluationSection>,
    /// Results that others published for their system.
    #[serde(default)]
    pub published: Vec<Published>,
}

/// One of the sections `[[evaluation]]`: a command that measures the trained network.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSection {
    /// The name of its folder.
    pub name: String,
    /// The command, such as `match {player} random --games 200`.
    pub command: String,
}

/// One of the sections `[[published]]`: a number that was reported elsewhere.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The quantity, and the method of measuring it.
    pub what: String,
    /// The value as it was printed.
    pub value: String,
    /// Samples of the published training, counting repeated ones again, if this number was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
}

impl Experiment {
    /// Reads a file, or the `recipe.toml` of a folder, and checks it, its commands by `check_command`.
    ///
    /// # Errors
    /// [`ExperimentError`] with the file and the section that is not valid.
    pub fn read(path: &Path, check_command: CheckCommand) -> Result<Self, ExperimentError> {
        let learning = Learning::read(path)?;
        let file = recipe_file(path);
        let text = output::read_text(&file).map_err(OutputError::io("read", &file))?;
        let sections: Sections = toml::from_str(&text).map_err(ExperimentError::at(file.display()))?;
        let name = recipe_name(&file)?;
        let experiment =
            Self { name, file, learning, sections, store: None, other_data: None, check_command };
        experiment.check().map_err(ExperimentError::at(experiment.file.display()))?;
        Ok(experiment)
    }

    /// Uses other data than the recipe names: one sample store, unchanged, or files of games and positions, from which a store
    /// is made as the recipe says.
    ///
    /// # Errors
    /// [`ExperimentError::Unexpected`] for files if the recipe does not say how to make a store from them.
    pub fn use_data(&mut self, files: &[PathBuf]) -> Result<(), ExperimentError> {
        if let [store] = files
            && data::is_store(store)
        {
            self.sections.data = text(store).into();
            self.store = Some(store.clone());
            return Ok(());
        }
        let Some(section) = self.data()? else {
            return Err(ExperimentError::Unexpected(format!(
                "{}: `data` names a finished store; expected --data with another one, made by `tabiya data build`",
                self.file.display()
            )));
        };
        let files: Vec<String> = files.iter().map(|file| text(file)).collect();
        let section = section.with_inputs(&files);
        self.store = Some(section.store.clone());
        self.other_data = Some(section);
        Ok(())
    }

    /// The section that makes the store; `None` if the recipe names a finished one.
    ///
    /// # Errors
    /// [`ExperimentError::Unexpected`] for a section with other fields.
    pub fn data(&self) -> Result<Option<DataSection>, ExperimentError> {
        if let Some(section) = &self.other_data {
            return Ok(Some(section.clone()));
        }
        self.sections.data.as_table().map(DataSection::read).transpose()
    }

    /// The sample store: the one named instead of the recipe's, or the recipe's.
    pub fn store(&self) -> &Path {
        self.store.as_deref().unwrap_or(self.learning.store())
    }

    /// The folder of the training run.
    pub fn folder(&self, runs: &Path) -> PathBuf {
        runs.join(&self.name)
    }

    /// The file that a player specification names: the trained network, or the learners.
    pub fn trained(&self, runs: &Path) -> PathBuf {
        self.folder(runs).join(self.learning.player_file())
    }

    /// The trained network as a player with the search of the experiment.
    ///
    /// # Errors
    /// [`SpecificationError`] if a search, a limit or an option does not exist.
    pub fn player(&self, runs: &Path) -> Result<PlayerSpecification, SpecificationError> {
        self.sections.search.player(&self.trained(runs), &self.name)
    }

    fn check(&self) -> Result<(), ExperimentError> {
        let mut names: Vec<&str> = Vec::new();
        for EvaluationSection { name, .. } in &self.sections.evaluation {
            let letters = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
            if !letters || !name.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
                return Err(ExperimentError::Unexpected(format!(
                    "[[evaluation]] name: found {name:?}, expected letters, digits, hyphens, dots and underscores"
                )));
            }
            if names.contains(&name.as_str()) {
                let twice = format!("[[evaluation]] name: {name:?} is used twice");
                return Err(ExperimentError::Unexpected(twice));
            }
            names.push(name);
        }
        let runs = Path::new(RUNS);
        self.player(runs)?;
        // Every command is parsed here, so a mistyped measurement is found before the training.
        self.steps(runs).map(drop)
    }
}
