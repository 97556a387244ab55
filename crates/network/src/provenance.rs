//! Provenance of a network: its run, data and origin.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Provenance of a network: everything needed to train it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Name of the run.
    pub name: String,
    /// The resolved recipe, as TOML.
    pub recipe: String,
    /// Hash of the sample store.
    pub data: String,
    /// Git commit of the program; `unknown` outside a checkout.
    pub commit: String,
    /// Processor of the training and its threads, or the GPU.
    pub hardware: String,
    /// Seed of weights and shuffling.
    pub seed: u64,
    /// Number of training steps so far.
    pub steps: u64,
    /// Number of samples seen, including repetitions.
    pub positions: u64,
    /// Seconds spent in training.
    pub seconds: f64,
    /// Results of the last validation, by metric.
    pub metrics: std::collections::BTreeMap<String, f64>,
    /// The network from which training started, unless it started from random weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Changes made to the recipe while the run was interrupted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<RecipeChange>,
    /// The file from which it was imported, if another program trained it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// The file of another program from which a network was imported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Name of the file, without folders.
    pub file: String,
    /// 128-bit XXH3 hash of its content, in hexadecimal.
    pub hash: String,
    /// Metadata of an imported lc0 network.
    pub lc0: crate::planes::lc0::Description,
}

/// The network that a run started from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Origin {
    pub name: String,
    /// 128-bit XXH3 hash of its weights file, in hexadecimal.
    pub hash: String,
}

/// A setting that a resumed run changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeChange {
    /// Number of steps taken before the change.
    pub after_step: u64,
    /// The key and its values before and after.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A key with different values on two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The key with its enclosing tables, such as `training.steps`.
    pub key: String,
    /// Its value on the first side; `nothing` if the key is absent.
    pub before: String,
    /// Its value on the second side.
    pub after: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {} (was {})", self.key, self.after, self.before)
    }
}
