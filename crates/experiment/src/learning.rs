//! The subject of an experiment's training: a network, or learners without one.

use std::path::{Path, PathBuf};

use player::recipe_file;
use regression::LearnerRecipe;
use training::{Recipe, Scale, TrainingError};

use crate::error::ExperimentError;

/// The part of an experiment's file that training reads.
#[derive(Clone, Debug)]
pub enum Learning {
    /// The section `[network]`.
    Network(Box<Recipe>),
    /// The section `[learner]`.
    Learners(Box<LearnerRecipe>),
}

const SELFPLAY: &str = "tabiya selfplay RECIPE (a short run: --generations 1)";

/// Tables of recipes that are not trained on a store, and the commands that read them.
const OTHER_COMMANDS: [(&str, &str); 4] = [
    ("play", SELFPLAY),
    ("replay", SELFPLAY),
    ("gate", SELFPLAY),
    ("reinforce", "tabiya reinforce RECIPE --from NETWORK --engine PLAYER (a short run: --iterations 1)"),
];

impl Learning {
    /// Reads a file, or the `recipe.toml` of a folder.
    ///
    /// # Errors
    /// [`ExperimentError`] for a file that cannot be read or is not valid.
    pub fn read(path: &Path) -> Result<Self, ExperimentError> {
        if let Some(recipe) = Self::learners(path)? {
            return Ok(Self::Learners(Box::new(recipe)));
        }
        let recipe = Recipe::read_for(path, None).map_err(TrainingError::from)?;
        Ok(Self::Network(Box::new(recipe)))
    }

    /// The recipe of learners, if the file is one.
    ///
    /// # Errors
    /// [`ExperimentError`] for a file that cannot be read, or one of learners that is not valid.
    pub fn learners(path: &Path) -> Result<Option<LearnerRecipe>, ExperimentError> {
        let file = recipe_file(path);
        let text = ::files::recipe::read(&file)
            .map_err(ExperimentError::at(format!("cannot read the recipe {}", file.display())))?;
        // Text that is not TOML is passed to the reader of network recipes, whose error names the line.
        let table = text.parse::<toml::Table>().unwrap_or_default();
        // Without this, the error would be "unknown field", without the command to use.
        if let Some((key, command)) = OTHER_COMMANDS.iter().find(|(key, _)| table.contains_key(*key)) {
            return Err(ExperimentError::Unexpected(format!(
                "{}: the table [{key}] belongs to a recipe for another command: {}",
                file.display(),
                command.replace("RECIPE", &path.display().to_string())
            )));
        }
        let has_learner = table.contains_key("learner");
        Ok(has_learner.then(|| LearnerRecipe::from_toml(&text, &file.display().to_string())).transpose()?)
    }

    /// The training at a fraction of its size.
    #[must_use]
    pub(crate) fn at_scale(self, scale: Scale) -> Self {
        match self {
            Self::Network(recipe) => Self::Network(Box::new(recipe.at_scale(scale))),
            Self::Learners(recipe) => Self::Learners(Box::new(recipe.at_scale(scale))),
        }
    }

    /// One line: what is trained.
    pub fn title(&self) -> &str {
        match self {
            Self::Network(recipe) => &recipe.title,
            Self::Learners(recipe) => &recipe.title,
        }
    }

    /// The sample store that the recipe names.
    pub fn store(&self) -> &Path {
        match self {
            Self::Network(recipe) => &recipe.data,
            Self::Learners(recipe) => recipe.store(),
        }
    }

    /// The network that it reads besides the store: the one that labels a stream, or the one in a blend.
    pub(crate) fn network(&self) -> Option<PathBuf> {
        match self {
            Self::Network(recipe) => recipe.stream.as_ref().map(|stream| stream.network.clone()),
            Self::Learners(recipe) => recipe.learner.blend.as_ref().map(|blend| blend.network.clone().into()),
        }
    }

    /// All settings that decide the result.
    ///
    /// # Errors
    /// [`ExperimentError`] if it cannot be written as TOML; no such recipe is known.
    pub fn to_toml(&self) -> Result<String, ExperimentError> {
        Ok(match self {
            Self::Network(recipe) => recipe.to_toml().map_err(TrainingError::from)?,
            Self::Learners(recipe) => recipe.to_toml()?,
        })
    }

    /// The file in the run's folder that players name.
    pub fn player_file(&self) -> &'static str {
        match self {
            Self::Network(_) => files::run::NETWORK,
            Self::Learners(_) => files::run::LEARNERS,
        }
    }

    /// The file in the run's folder with the results of the training; it is written last.
    pub fn result_file(&self) -> &'static str {
        match self {
            Self::Network(_) => files::run::SUMMARY,
            Self::Learners(_) => files::run::RESULT,
        }
    }

    /// Parameters of the network; `None` for learners.
    ///
    /// # Errors
    /// [`ExperimentError`] for a network of unknown encodings.
    pub fn parameters(&self) -> Result<Option<u64>, ExperimentError> {
        match self {
            Self::Network(recipe) => {
                Ok(Some(recipe.network.parameter_count().map_err(TrainingError::from)? as u64))
            }
            Self::Learners(_) => Ok(None),
        }
    }
}
