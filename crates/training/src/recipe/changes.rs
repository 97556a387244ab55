//! Overrides of a recipe's settings.

use std::path::PathBuf;

use network::TrainingPrecision;

use super::Recipe;

/// Settings that a command line or a script may give in addition to a recipe. Absent settings stay as in the recipe.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "the fields are the recipe's")]
pub struct RecipeChanges {
    pub data: Option<PathBuf>,
    pub steps: Option<u64>,
    pub threads: Option<usize>,
    pub precision: Option<TrainingPrecision>,
}

impl RecipeChanges {
    /// Changes a recipe, which must be checked afterwards. A shorter run gets a shorter warm-up
    /// ([`crate::Schedule::fit_warmup`]).
    pub fn apply(self, recipe: &mut Recipe) {
        if let Some(data) = self.data {
            recipe.data = data;
        }
        if let Some(steps) = self.steps {
            recipe.training.steps = steps;
            recipe.schedule.fit_warmup(steps);
        }
        if let Some(threads) = self.threads {
            recipe.training.threads = threads;
        }
        if let Some(precision) = self.precision {
            recipe.training.precision = precision;
        }
    }
}
