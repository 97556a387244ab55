//! An experiment: one file that says where the samples come from, what learns from them, how it plays and what is measured.
//!
//! The sections of the training are [`Learning`]; those around it become command lines of this program, so that each is checked by
//! the declarations of the command that reads it: filters by `data build`, options by the search, measurements by theirs.

mod child;
pub(crate) mod learning;
pub(crate) mod runner;
mod steps;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use player::{PlayerSpecification, RUNS, SearchSection, recipe_file, recipe_name};
use serde::Deserialize;

pub(crate) use steps::{Output, Step};

use self::learning::Learning;

/// A recipe with what comes before and after the training.
pub(crate) struct Experiment {
    /// The file.
    pub(crate) file: PathBuf,
    /// The name: that of the file's folder, or of the file.
    pub(crate) name: String,
    /// What is trained.
    pub(crate) learning: Learning,
    /// What is done around it.
    pub(crate) sections: Sections,
    check_command: CheckCommand,
}

/// Tells whether arguments are a command of this program, without running it.
pub(crate) type CheckCommand = fn(&[String]) -> Result<()>;

/// The sections that training does not read.
#[derive(Debug, Deserialize)]
pub(crate) struct Sections {
    /// The path of a store, or what one is made of.
    data: toml::Value,
    /// How the network plays.
    #[serde(default)]
    pub(crate) search: SearchSection,
    /// What is measured, in this order.
    #[serde(default)]
    pub(crate) evaluation: Vec<Measurement>,
    /// What others said about their system.
    #[serde(default)]
    pub(crate) published: Vec<Published>,
}

/// The section `[data]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataSection {
    /// The store to build.
    pub(crate) store: PathBuf,
    /// Files, folders or archives of games and positions.
    pub(crate) sources: Vec<String>,
    /// Options of `tabiya data build`, without their hyphens.
    #[serde(default)]
    pub(crate) options: toml::Table,
}

/// One of the sections `[[evaluation]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measurement {
    /// The name of its folder.
    pub(crate) name: String,
    /// The command, such as `match {player} random --games 200`.
    pub(crate) command: String,
}

/// One of the sections `[[published]]`: a number that was reported elsewhere.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    /// What was measured, and how.
    pub(crate) what: String,
    /// The value as it was printed.
    pub(crate) value: String,
}

impl Experiment {
    /// Reads a file, or the `recipe.toml` of a folder, and checks it, its commands by `check_command`.
    pub(crate) fn read(path: &Path, check_command: CheckCommand) -> Result<Self> {
        let learning = Learning::read(path)?;
        let file = recipe_file(path);
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let sections: Sections = toml::from_str(&text).with_context(|| file.display().to_string())?;
        let experiment = Self { name: recipe_name(&file)?, file, learning, sections, check_command };
        experiment.check().with_context(|| experiment.file.display().to_string())?;
        Ok(experiment)
    }

    /// What the store is made of; `None` where the file names a finished one.
    pub(crate) fn data(&self) -> Result<Option<DataSection>> {
        let Some(table) = self.sections.data.as_table() else { return Ok(None) };
        let section: DataSection =
            table.clone().try_into().map_err(|error| anyhow::anyhow!("[data]: {error}"))?;
        Ok(Some(section))
    }

    /// The folder of the training run.
    pub(crate) fn folder(&self, runs: &Path) -> PathBuf {
        runs.join(&self.name)
    }

    /// What players name: the trained network, or the learners.
    pub(crate) fn trained(&self, runs: &Path) -> PathBuf {
        self.folder(runs).join(self.learning.player_file())
    }

    /// The trained network as a player that searches as the experiment says.
    pub(crate) fn player(&self, runs: &Path) -> Result<PlayerSpecification> {
        Ok(self.sections.search.player(&self.trained(runs), &self.name)?)
    }

    fn check(&self) -> Result<()> {
        let mut names: Vec<&str> = Vec::new();
        for Measurement { name, .. } in &self.sections.evaluation {
            let letters = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
            ensure!(
                letters && name.starts_with(|letter: char| letter.is_ascii_alphanumeric()),
                "[[evaluation]] name: found {name:?}, expected letters, digits, hyphens, dots and underscores"
            );
            ensure!(!names.contains(&name.as_str()), "[[evaluation]] name: {name:?} is used twice");
            names.push(name);
        }
        let runs = Path::new(RUNS);
        self.player(runs)?;
        self.steps(runs).map(drop)
    }
}

#[cfg(test)]
mod tests;
