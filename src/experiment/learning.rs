//! What an experiment trains: a network, or learners without one.

use std::path::Path;

use anyhow::{Context as _, Result};
use player::{LEARNERS_FILE, NETWORK_FILE, recipe_file};
use regression::LearnerRecipe;
use training::Recipe;

/// The part of an experiment's file that training reads.
#[derive(Clone, Debug)]
pub(crate) enum Learning {
    /// The section `[network]`.
    Network(Box<Recipe>),
    /// The section `[learner]`.
    Learners(Box<LearnerRecipe>),
}

impl Learning {
    /// Reads a file, or the `recipe.toml` of a folder.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Ok(match Self::learners(path)? {
            Some(recipe) => Self::Learners(Box::new(recipe)),
            None => Self::Network(Box::new(Recipe::read(path)?)),
        })
    }

    /// The recipe of learners, where a file is one.
    pub(crate) fn learners(path: &Path) -> Result<Option<LearnerRecipe>> {
        let file = recipe_file(path);
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("{}: cannot read the recipe", file.display()))?;
        // A text that is no TOML is a network's, whose reader says where it is wrong.
        let has_learner = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("learner"));
        Ok(has_learner.then(|| LearnerRecipe::from_toml(&text, &file.display().to_string())).transpose()?)
    }

    /// One line: what it trains.
    pub(crate) fn title(&self) -> &str {
        match self {
            Self::Network(recipe) => &recipe.title,
            Self::Learners(recipe) => &recipe.title,
        }
    }

    /// The sample store.
    pub(crate) fn store(&self) -> &Path {
        match self {
            Self::Network(recipe) => &recipe.data,
            Self::Learners(recipe) => recipe.store(),
        }
    }

    /// All that decides the result.
    pub(crate) fn to_toml(&self) -> Result<String> {
        Ok(match self {
            Self::Network(recipe) => recipe.to_toml()?,
            Self::Learners(recipe) => recipe.to_toml()?,
        })
    }

    /// The file in the run's folder that players name.
    pub(crate) fn player_file(&self) -> &'static str {
        match self {
            Self::Network(_) => NETWORK_FILE,
            Self::Learners(_) => LEARNERS_FILE,
        }
    }

    /// The file in the run's folder that says what the training found; it comes last.
    pub(crate) fn result_file(&self) -> &'static str {
        match self {
            Self::Network(_) => "summary.json",
            Self::Learners(_) => LEARNERS_RESULT,
        }
    }

    /// Parameters of the network.
    pub(crate) fn parameters(&self) -> Result<Option<u64>> {
        match self {
            Self::Network(recipe) => Ok(Some(recipe.network.parameter_count()? as u64)),
            Self::Learners(_) => Ok(None),
        }
    }
}

/// Their errors.
pub(crate) const LEARNERS_RESULT: &str = "result.json";
