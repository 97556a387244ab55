//! A recipe: everything that decides what a training run does, as TOML.

mod difference;
mod training;

use std::path::{Path, PathBuf};

use dataset::EvaluationCurve;
use serde::{Deserialize, Serialize};

use crate::{LossConfig, NetworkError, OptimiserConfig, Schedule, Spec, ValueKind, ValueLoss, spec::invalid};

pub use difference::Difference;
pub(crate) use difference::differences;
pub use training::{MAX_THREADS, TrainingConfig, TrainingPrecision};

/// A training run. Unknown keys are refused; absent ones take the defaults written here, and the resolved recipe with
/// all of them is kept beside the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// One line: what this trains.
    pub title: String,
    /// Why, on what, for how long, what to expect.
    #[serde(default)]
    pub purpose: String,
    /// The sample store, relative to where the command runs.
    pub data: PathBuf,
    /// Length, batches, checkpoints.
    pub training: TrainingConfig,
    /// The network.
    pub network: Spec,
    /// What is minimised.
    #[serde(default)]
    pub losses: LossConfig,
    /// How.
    #[serde(default)]
    pub optimiser: OptimiserConfig,
    /// The learning rate.
    #[serde(default)]
    pub schedule: Schedule,
}

impl Recipe {
    /// Reads a recipe: a TOML file, or a folder with a `recipe.toml` in it.
    ///
    /// # Errors
    /// [`NetworkError::File`], [`NetworkError::Syntax`] with line and known keys, [`NetworkError::Invalid`].
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let path = if path.is_dir() { path.join("recipe.toml") } else { path.to_path_buf() };
        let text = std::fs::read_to_string(&path).map_err(NetworkError::file(&path, "read the recipe"))?;
        Self::from_toml(&text, &path.display().to_string())
    }

    /// Parses a recipe; `place` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] with line and known keys, [`NetworkError::Invalid`].
    pub fn from_toml(text: &str, place: &str) -> Result<Self, NetworkError> {
        let recipe: Self = toml::from_str(text)
            .map_err(|error| NetworkError::Syntax { place: place.into(), reason: error.to_string() })?;
        recipe.check(place)?;
        Ok(recipe)
    }

    /// The recipe with every default written out.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] when it cannot be written; no recipe is known for which that happens.
    pub fn to_toml(&self) -> Result<String, NetworkError> {
        toml::to_string(self)
            .map_err(|error| NetworkError::Syntax { place: "recipe".into(), reason: error.to_string() })
    }

    /// The recipe for other machines: where the store lay on this one is left out, its name is kept.
    pub(crate) fn portable(&self) -> Self {
        let mut recipe = self.clone();
        if let (true, Some(name)) = (self.data.is_absolute(), self.data.file_name()) {
            recipe.data = name.into();
        }
        recipe
    }

    /// Checks every range; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] or [`NetworkError::UnknownEncoding`].
    pub fn check(&self, place: &str) -> Result<(), NetworkError> {
        self.network.check(place)?;
        let training = &self.training;
        let counts = [
            ("training.steps", training.steps),
            ("training.batch", training.batch as u64),
            ("training.shuffle_window", training.shuffle_window as u64),
            ("training.validation_interval", training.validation_interval),
            ("training.validation_positions", training.validation_positions as u64),
            ("training.statistics_positions", training.statistics_positions as u64),
            ("training.checkpoint_interval", training.checkpoint_interval),
            ("training.keep", training.keep as u64),
            ("training.log_interval", training.log_interval),
        ];
        for (field, found) in counts {
            if found == 0 {
                return Err(invalid(place, field, found, "at least 1".into()));
            }
        }
        if training.threads > MAX_THREADS {
            let expected = format!("at most {MAX_THREADS}");
            return Err(invalid(place, "training.threads", training.threads, expected));
        }
        let [result_weight, search_weight] = self.losses.value_target.weights();
        let shares = [
            ("losses.policy_weight", self.losses.policy_weight, 1e3),
            ("losses.value_weight", self.losses.value_weight, 1e3),
            ("losses.label_smoothing", self.losses.label_smoothing, 1.0),
            ("losses.policy_temperature", self.losses.policy_temperature, 1.0),
            ("losses.illegal_move_weight", self.losses.illegal_move_weight, 1e3),
            ("losses.value_target.result_weight", result_weight, 1.0),
            ("losses.value_target.search_weight", search_weight, 1.0),
            ("optimiser.beta1", self.optimiser.beta1, 0.999_999),
            ("optimiser.beta2", self.optimiser.beta2, 0.999_999),
            ("optimiser.average_decay", self.optimiser.average_decay, 0.999_999),
            ("optimiser.weight_decay", self.optimiser.weight_decay, 10.0),
            ("optimiser.clip_norm", self.optimiser.clip_norm, f32::MAX),
            ("schedule.peak", self.schedule.peak(), 100.0),
        ];
        for (field, found, most) in shares {
            if !(0.0..=most).contains(&found) {
                return Err(invalid(place, field, found, format!("0 to {most}")));
            }
        }
        self.check_value(place)?;
        self.check_learning(place)
    }

    /// That the value's loss fits its head, and the constants of both it and the target make sense.
    fn check_value(&self, place: &str) -> Result<(), NetworkError> {
        let kind = self.network.value.kind;
        let loss = self.losses.of_value(kind);
        if (kind, loss) == (ValueKind::Scalar, ValueLoss::CrossEntropy) {
            let expected = "squared, huber or absolute where network.value.kind is scalar".into();
            return Err(invalid(place, "losses.value_loss", "cross-entropy", expected));
        }
        if let ValueLoss::Huber { delta } = loss
            && !(delta > 0.0 && delta <= 2.0)
        {
            return Err(invalid(place, "losses.value_loss.delta", delta, "above 0 to 2".into()));
        }
        let curve = self.losses.value_target.curve();
        for (field, found, range) in curve.map(EvaluationCurve::constants).unwrap_or_default() {
            if !range.contains(&found) {
                let field = format!("losses.value_target.curve.{field}");
                return Err(invalid(place, &field, found, format!("{} to {}", range.start(), range.end())));
            }
        }
        Ok(())
    }

    /// That something is learned: settings that are each in range and together train nothing.
    fn check_learning(&self, place: &str) -> Result<(), NetworkError> {
        let LossConfig { policy_weight, value_weight, .. } = self.losses;
        if policy_weight == 0.0 && value_weight == 0.0 {
            let expected = "more than 0 where losses.policy_weight is 0".into();
            return Err(invalid(place, "losses.value_weight", value_weight, expected));
        }
        if self.schedule.peak() == 0.0 {
            return Err(invalid(place, "schedule.peak", 0, "more than 0".into()));
        }
        let (least, steps) = (self.schedule.least_steps(), self.training.steps);
        if least > steps {
            let found = format!("{least} steps of warm-up, fall and tail");
            return Err(invalid(place, "schedule", found, format!("at most training.steps = {steps}")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
