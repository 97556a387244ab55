//! The file of an experiment: the recipe of a training with the sections around it.

use std::path::{Path, PathBuf};

use files::{OutputError, OutputFile};
use player::{
    PlayerSpecification, RUNS, SearchSection, SpecificationError, open_evaluator, recipe_file, recipe_name,
};
use serde::{Deserialize, Serialize};
use training::Scale;

use crate::{
    ExperimentError, Published,
    data::{self, DataSection},
    learning::Learning,
    scale,
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
    /// The fraction of the recipe's size, if it is not the whole.
    pub(crate) scale: Option<Scale>,
    pub(crate) check_command: CheckCommand,
}

/// Checks that arguments are a command of this program, without running it.
///
/// # Errors
/// The message of the command line.
pub type CheckCommand = fn(&[String]) -> Result<(), String>;

/// The sections that training does not read.
#[derive(Debug, Deserialize, Serialize)]
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
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSection {
    /// The name of its folder.
    pub name: String,
    /// The command, such as `match {player} random --games 200`. In it, `{player}`, `{network}`, `{store}` and `{recipe}` are
    /// replaced.
    pub command: String,
}

impl Experiment {
    /// Reads a file, or the `recipe.toml` of a folder, and checks it, its commands by `check_command`.
    ///
    /// # Errors
    /// [`ExperimentError`] with the file and the section that is not valid.
    pub fn read(path: &Path, check_command: CheckCommand) -> Result<Self, ExperimentError> {
        Self::read_at(path, None, check_command)
    }

    /// As [`Experiment::read`], at a fraction of the recipe's games, steps, positions and matches, with its own run and store.
    ///
    /// # Errors
    /// As [`Experiment::read`].
    pub fn read_at(
        path: &Path,
        scale: Option<Scale>,
        check_command: CheckCommand,
    ) -> Result<Self, ExperimentError> {
        let learning = Learning::read(path)?;
        let file = recipe_file(path);
        let text = ::files::recipe::read(&file).map_err(OutputError::io("read", &file))?;
        let sections: Sections = toml::from_str(&text).map_err(ExperimentError::at(file.display()))?;
        let name = recipe_name(&file)?;
        let mut experiment = Self {
            name,
            file: file.clone(),
            learning,
            sections,
            store: None,
            other_data: None,
            scale,
            check_command,
        };
        if let Some(scale) = scale {
            experiment.shrink(scale).map_err(ExperimentError::at(file.display()))?;
        }
        experiment.check().map_err(ExperimentError::at(file.display()))?;
        Ok(experiment)
    }

    fn shrink(&mut self, scale: Scale) -> Result<(), ExperimentError> {
        self.name = scale.name(&self.name);
        self.learning = self.learning.clone().at_scale(scale);
        if let Some(table) = self.sections.data.as_table_mut() {
            let batch = match &self.learning {
                Learning::Network(recipe) => recipe.training.batch as u64,
                Learning::Learners(_) => 1,
            };
            scale::shrink_data(table, scale, batch);
            self.store = Some(DataSection::read(table)?.store);
        }
        for evaluation in &mut self.sections.evaluation {
            evaluation.command = scale::shrunk_command(&evaluation.command, scale);
        }
        Ok(())
    }

    /// One line: what is trained, at which scale.
    pub fn title(&self) -> String {
        let title = self.learning.title();
        match (self.scale, &self.learning) {
            (None, _) => title.into(),
            (Some(scale), Learning::Network(recipe)) => {
                format!("{title}, at scale {scale} ({} steps)", recipe.training.steps)
            }
            (Some(scale), Learning::Learners(recipe)) => {
                format!("{title}, at scale {scale} ({} positions)", recipe.learner.positions)
            }
        }
    }

    /// The whole experiment as TOML, with every default of the training written out and every number at its scale.
    ///
    /// # Errors
    /// [`ExperimentError`] if it cannot be written as TOML; no such recipe is known.
    pub fn to_toml(&self) -> Result<String, ExperimentError> {
        let place = self.file.display().to_string();
        let mut table: toml::Table = self.learning.to_toml()?.parse().map_err(ExperimentError::at(&place))?;
        table.extend(toml::Table::try_from(&self.sections).map_err(ExperimentError::at(&place))?);
        table.insert("title".into(), self.title().into());
        if let Some(section) = &self.other_data {
            let section = toml::Value::try_from(section).map_err(ExperimentError::at(&place))?;
            table.insert("data".into(), section);
        }
        toml::to_string(&table).map_err(ExperimentError::at(place))
    }

    /// Writes [`Experiment::to_toml`] to the folder of the run, where reports find it.
    ///
    /// # Errors
    /// [`ExperimentError`] for a file that cannot be written.
    pub fn keep(&self, runs: &Path) -> Result<(), ExperimentError> {
        let file = self.folder(runs).join(files::run::EXPERIMENT);
        Ok(OutputFile::open(&file)?.finish(self.to_toml()?)?)
    }

    /// Replaces the recipe's data: by one sample store, used unchanged, or by files of games and positions,
    /// from which a store is built with the recipe's settings.
    ///
    /// # Errors
    /// [`ExperimentError::Unexpected`] for files if the recipe has no section `[data]` to build a store from
    /// them.
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
        let section = section.with_inputs(&files, self.scale);
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

    /// Opens the network that learners are blended with. No step of the experiment makes it, so it must be there before the first,
    /// unless the learners are there already.
    ///
    /// # Errors
    /// [`ExperimentError::At`] if it cannot be opened.
    pub fn check_inputs(&self, runs: &Path) -> Result<(), ExperimentError> {
        let Learning::Learners(recipe) = &self.learning else { return Ok(()) };
        let Some(blend) = recipe.learner.blend.as_ref().filter(|_| !self.trained(runs).exists()) else {
            return Ok(());
        };
        let place = format!("{}: learner.blend.network", self.file.display());
        open_evaluator(&blend.network, None).map(drop).map_err(ExperimentError::at(place))
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
            if !name.chars().all(is_file_letter)
                || !name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
            {
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
        self.sections.check_published(&self.learning)?;
        let runs = Path::new(RUNS);
        self.player(runs)?;
        // Every command is parsed here, so a mistyped measurement is found before the training.
        self.steps(runs).map(drop)
    }
}

/// True for letters of the names of folders that an experiment makes.
pub(crate) fn is_file_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_.".contains(letter)
}
