//! Recipes: everything that determines the result of a training run, as TOML.

mod difference;
mod scale;
mod training;

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use dataset::EvaluationCurve;
use network::{NetworkError, Spec, ValueKind, invalid};
use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::{
    LossConfig, MatePawns, OptimiserConfig, OptimiserKind, Schedule, StreamConfig, ValueLoss, ValueTarget,
};

pub(crate) use difference::differences;
pub use scale::Scale;
pub use training::{MAX_THREADS, RecipeChanges, TrainingConfig};

/// The recipe of a training run. Unknown keys are refused. Absent keys take the defaults documented here, and the
/// resolved recipe with all defaults is stored with the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Recipe {
    /// Title of the run, in one line.
    pub title: String,
    /// Purpose of the run: reason, data, duration and expected result.
    #[serde(default)]
    pub purpose: String,
    /// The sample store, relative to the working directory of the command: a path, or a section with the path as
    /// `store` and further keys that list the sources of the store.
    #[serde(deserialize_with = "training::store")]
    pub data: PathBuf,
    /// Length, batch size, validation and checkpoints.
    pub training: TrainingConfig,
    pub network: Spec,
    #[serde(default)]
    pub losses: LossConfig,
    #[serde(default)]
    pub optimiser: OptimiserConfig,
    /// The learning-rate schedule.
    #[serde(default)]
    pub schedule: Schedule,
    /// Positions made while training, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamConfig>,
    /// Parts of an experiment other than training, which the program reads; not part of a resolved recipe.
    #[serde(default, skip_serializing)]
    search: IgnoredAny,
    #[serde(default, skip_serializing)]
    evaluation: IgnoredAny,
    #[serde(default, skip_serializing)]
    published: IgnoredAny,
}

const KEYS: [&str; 12] = [
    "title",
    "purpose",
    "data",
    "training",
    "network",
    "losses",
    "optimiser",
    "schedule",
    "stream",
    "search",
    "evaluation",
    "published",
];

/// More positions, steps or files than any run has; a larger number must be a typing error.
const LARGEST_COUNT: u64 = 1_000_000_000_000;

impl Recipe {
    /// Reads a recipe: a TOML file, a folder that contains a `recipe.toml`, or the name of one in `recipes`, with everything that it
    /// extends.
    ///
    /// # Errors
    /// [`NetworkError::Output`], [`NetworkError::Syntax`] with the line and the known keys, or
    /// [`NetworkError::Invalid`].
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let (text, place) = text_of(path)?;
        Self::from_toml(&text, &place)
    }

    /// Reads a recipe; without `[network]`, it gets the specification of the network that training starts
    /// from.
    ///
    /// # Errors
    /// As [`Recipe::read`]; [`NetworkError::Invalid`] if neither names a network.
    pub fn read_for(path: &Path, start: Option<&Spec>) -> Result<Self, NetworkError> {
        let (text, place) = text_of(path)?;
        let table = text.parse::<toml::Table>().map_err(|error| syntax(&place, &error))?;
        // Errors found while parsing the text have line numbers.
        if table.contains_key("network") {
            return Self::from_toml(&text, &place);
        }
        // `[netwrok]` is not a recipe without a network.
        let unknown = table.keys().find(|key| !KEYS.contains(&key.as_str()));
        match Self::from_toml(&text, &place) {
            Err(error) if unknown.is_some() => Err(error),
            _ => Self::from_table(table, start, &place),
        }
    }

    /// The recipe in a table; without `network`, it gets the specification of the network that training
    /// starts from. `place` names the table in errors.
    ///
    /// # Errors
    /// As [`Recipe::from_toml`]; [`NetworkError::Invalid`] if neither names a network.
    pub fn from_table(
        mut table: toml::Table,
        start: Option<&Spec>,
        place: &str,
    ) -> Result<Self, NetworkError> {
        if !table.contains_key("network") {
            let Some(start) = start else {
                let expected = "a table, or `tabiya train` with --from and the network to start from".into();
                return Err(invalid(place, "network", "nothing", expected));
            };
            let network = start.to_toml()?.parse::<toml::Table>().map_err(|error| syntax(place, &error))?;
            table.insert("network".into(), network.into());
        }
        let recipe: Self = table.try_into().map_err(|error| syntax(place, &error))?;
        recipe.check(place)?;
        Ok(recipe)
    }

    /// Parses a recipe; `place` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] with the line and the known keys, or [`NetworkError::Invalid`].
    pub fn from_toml(text: &str, place: &str) -> Result<Self, NetworkError> {
        let recipe: Self = toml::from_str(text).map_err(|error| syntax(place, &error))?;
        recipe.check(place)?;
        Ok(recipe)
    }

    /// The recipe with every default written out.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] if it cannot be serialised, which no recipe is known to cause.
    pub fn to_toml(&self) -> Result<String, NetworkError> {
        toml::to_string(self).map_err(|error| syntax("recipe", &error))
    }

    /// The recipe for other machines: the locations of store and labelling network on this machine are removed, their names kept.
    pub(crate) fn portable(&self) -> Self {
        let mut recipe = self.clone();
        if let (true, Some(name)) = (self.data.is_absolute(), self.data.file_name()) {
            recipe.data = name.into();
        }
        recipe.stream = self.stream.as_ref().map(StreamConfig::portable);
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
            if found > LARGEST_COUNT {
                return Err(invalid(place, field, found, format!("at most {LARGEST_COUNT}")));
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
            ("schedule.peak", self.schedule.peak(), 100.0),
        ];
        for (field, found, most) in shares {
            if !(0.0..=most).contains(&found) {
                return Err(invalid(place, field, found, format!("0 to {most}")));
            }
        }
        // From single keys to several sections together, so that the message names the simplest mistake there is.
        self.check_origin_weights(place)?;
        self.optimiser.check(place)?;
        if self.network.learns_rows() {
            self.check_sparse(place)?;
        }
        self.check_value(self.network.value_kind(), place)?;
        if let Some(stream) = &self.stream {
            stream.check(self, place)?;
        }
        self.check_learning(place)
    }

    fn check_origin_weights(&self, place: &str) -> Result<(), NetworkError> {
        let LossConfig { origin_weights, policy_origin_weights, value_origin_weights, .. } = self.losses;
        let weights = [
            ("origin_weights", origin_weights),
            ("policy_origin_weights", policy_origin_weights),
            ("value_origin_weights", value_origin_weights),
        ];
        for (key, weights) in weights {
            for (origin, found) in weights.named() {
                if !(0.0..=1e3).contains(&found) {
                    let field = format!("losses.{key}.{origin}");
                    return Err(invalid(place, &field, found, "0 to 1000".into()));
                }
            }
        }
        Ok(())
    }

    /// Checks that the value's loss fits a head of this kind, and that the constants of the loss and of the target are valid; part
    /// of [`Recipe::check`].
    ///
    /// # Errors
    /// [`NetworkError::Invalid`].
    pub fn check_value(&self, kind: ValueKind, place: &str) -> Result<(), NetworkError> {
        let loss = self.losses.of_value(kind);
        if kind != ValueKind::Wdl && loss == ValueLoss::CrossEntropy {
            let expected = "squared, huber or absolute unless network.value.kind is wdl".into();
            return Err(invalid(place, "losses.value_loss", "cross-entropy", expected));
        }
        if let ValueLoss::Huber { delta } = loss
            && !(delta > 0.0 && delta <= 100.0)
        {
            return Err(invalid(place, "losses.value_loss.delta", delta, "above 0 to 100".into()));
        }
        let target = self.losses.value_target;
        match (kind, target) {
            (ValueKind::Pawns { .. }, ValueTarget::Evaluation { .. })
            | (_, ValueTarget::Evaluation { mates: MatePawns::Limit | MatePawns::Alike, .. }) => {}
            (ValueKind::Pawns { .. }, _) => {
                let expected = "evaluation where network.value.kind is pawns".into();
                return Err(invalid(place, "losses.value_target.from", target.name(), expected));
            }
            (_, ValueTarget::Evaluation { .. }) => {
                let expected = "nothing unless network.value.kind is pawns".into();
                return Err(invalid(place, "losses.value_target.mates", "ordered", expected));
            }
            _ => {}
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

    /// Checks that every setting applies to a sparse network.
    fn check_sparse(&self, place: &str) -> Result<(), NetworkError> {
        let Self { training, losses, optimiser, .. } = self;
        let (field, found, expected) = if training.mirror {
            let expected = "false, as features are mirrored already,";
            ("training.mirror", "true".into(), expected.into())
        } else if optimiser.kind != OptimiserKind::AdamW {
            let found = format!("{:?}", optimiser.kind).to_lowercase();
            ("optimiser.kind", found, "adamw, which can skip rows,".into())
        } else if losses.illegal_move_weight != 0.0 {
            let found = losses.illegal_move_weight.to_string();
            ("losses.illegal_move_weight", found, "0, as only legal moves are scored,".into())
        } else if training.steps >= MOST_SPARSE_STEPS {
            ("training.steps", training.steps.to_string(), format!("below {MOST_SPARSE_STEPS}"))
        } else {
            return Ok(());
        };
        Err(invalid(place, field, found, format!("{expected} for a sparse network")))
    }

    /// Checks that something is learned: settings can each be in range and together still train nothing.
    fn check_learning(&self, place: &str) -> Result<(), NetworkError> {
        let LossConfig { policy_weight, value_weight, .. } = self.losses;
        let heads = [
            ("policy", !self.network.has_policy(), policy_weight),
            ("value", self.network.value_kind() == ValueKind::None, value_weight),
        ];
        if let Some((head, _, weight)) = heads.into_iter().find(|(_, none, weight)| *none && *weight > 0.0) {
            let expected = format!("0 where network.{head}.kind is none");
            return Err(invalid(place, &format!("losses.{head}_weight"), weight, expected));
        }
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

/// Rows store the last step they took. Checkpoints store it as a 32-bit float, which is exact below this number.
const MOST_SPARSE_STEPS: u64 = 1 << 24;

/// The error for text that is not TOML or not a recipe; `place` names it.
fn syntax(place: &str, error: &impl Display) -> NetworkError {
    NetworkError::Syntax { place: place.into(), reason: error.to_string() }
}

/// The text of a recipe and its file.
fn text_of(path: &Path) -> Result<(String, String), NetworkError> {
    let path = files::recipe::file(path);
    let text = files::recipe::read(&path).map_err(NetworkError::file(&path, "read the recipe"))?;
    Ok((text, path.display().to_string()))
}

#[cfg(test)]
mod tests;
