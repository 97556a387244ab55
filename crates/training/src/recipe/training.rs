//! The parts of a recipe about the run itself: its settings, changes to them, and its store.

use std::{fmt, path::PathBuf};

use network::TrainingPrecision;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};

use super::Recipe;

/// The largest number of threads that may be requested for arithmetic and loading: far more than are useful, and few enough
/// for every system to start.
pub const MAX_THREADS: usize = 512;

/// Length, batches, validation and checkpoints of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    // The defaults are chosen, for runs of minutes to hours on a few cores.
    /// Number of steps of the run; the schedule ends with the last step.
    pub steps: u64,
    /// Batch size: samples per step. Default 256.
    #[serde(default = "network::default_to::<{ TrainingConfig::BATCH }, _>")]
    pub batch: usize,
    /// Seed of weights and shuffling. Default 1.
    #[serde(default = "network::default_to::<1, _>")]
    pub seed: u64,
    /// Number of threads for arithmetic and loading; 0 = all cores. Default 0.
    #[serde(default)]
    pub threads: usize,
    /// Precision in which convolutions and dense layers multiply on the CPU: `f32` or `bf16`. Default f32.
    #[serde(default)]
    pub precision: TrainingPrecision,
    /// Number of samples among which the loader shuffles. Default 262,144.
    #[serde(default = "network::default_to::<262_144, _>")]
    pub shuffle_window: usize,
    /// True if about half of the samples without castling rights are mirrored left to right, different ones in each epoch.
    /// Default false.
    #[serde(default)]
    pub mirror: bool,
    /// Steps between validations. Default 1,000.
    #[serde(default = "network::default_to::<1000, _>")]
    pub validation_interval: u64,
    /// Number of samples in a validation, always the same ones. Default 8,192.
    #[serde(default = "network::default_to::<8192, _>")]
    pub validation_positions: usize,
    /// Number of training samples over which normalisation statistics are measured before each validation. Default
    /// 8,192.
    #[serde(default = "network::default_to::<8192, _>")]
    pub statistics_positions: usize,
    /// Number of validations without a better loss after which the run ends early; 0 = never. Default 0.
    #[serde(default)]
    pub patience: u64,
    /// Steps between checkpoints. Default 1,000.
    #[serde(default = "network::default_to::<1000, _>")]
    pub checkpoint_interval: u64,
    /// Number of checkpoints kept in addition to the best one. Default 2.
    #[serde(default = "network::default_to::<2, _>")]
    pub keep: usize,
    /// True if a checkpoint is also kept at the end of every epoch. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub epoch_checkpoints: bool,
    /// Steps between lines of the log. Default 20.
    #[serde(default = "network::default_to::<20, _>")]
    pub log_interval: u64,
}

impl TrainingConfig {
    /// Default of [`TrainingConfig::batch`].
    pub const BATCH: u32 = 256;
}

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

/// Reads `data = "PATH"` or a table with `store = "PATH"`; the table's other keys are checked by the code that builds
/// the store.
pub(super) fn store<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    deserializer.deserialize_any(Store)
}

struct Store;

impl<'de> Visitor<'de> for Store {
    type Value = PathBuf;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the path of a store, or a section with the key `store`")
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<PathBuf, E> {
        Ok(path.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut section: A) -> Result<PathBuf, A::Error> {
        let mut store = None;
        while let Some(key) = section.next_key::<String>()? {
            if key == "store" {
                store = Some(section.next_value()?);
            } else {
                section.next_value::<IgnoredAny>()?;
            }
        }
        store.ok_or_else(|| A::Error::missing_field("store"))
    }
}
