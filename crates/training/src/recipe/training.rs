//! The part of a recipe about the run itself.

use network::TrainingPrecision;
use serde::{Deserialize, Serialize};

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
    /// Precision in which convolutions multiply on the CPU: `f32` or `bf16`. Default f32.
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
