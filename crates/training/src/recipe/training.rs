//! The part of a recipe about the run itself.

use network::TrainingPrecision;
use serde::{Deserialize, Serialize};

/// The most threads that arithmetic and loading may be asked to use: far more than help, and few enough for every system to
/// start.
pub const MAX_THREADS: usize = 512;

/// Length, batches, validation, checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    // The defaults are chosen, for runs of minutes to hours on a few cores.
    /// Steps of the run; the schedule ends with the last one.
    pub steps: u64,
    /// Samples in a step. Default 256.
    #[serde(default = "network::default_to::<{ TrainingConfig::BATCH }, _>")]
    pub batch: usize,
    /// Seed of weights and shuffling. Default 1.
    #[serde(default = "network::default_to::<1, _>")]
    pub seed: u64,
    /// Threads for arithmetic and loading; 0 = all cores. Default 0.
    #[serde(default)]
    pub threads: usize,
    /// Precision in which convolutions multiply on the CPU: `f32` or `bf16`. Default f32.
    #[serde(default)]
    pub precision: TrainingPrecision,
    /// Samples that the loader shuffles among. Default 262,144.
    #[serde(default = "network::default_to::<262_144, _>")]
    pub shuffle_window: usize,
    /// True if about half of the samples without castling rights are mirrored left to right, other ones each epoch. Default false.
    #[serde(default)]
    pub mirror: bool,
    /// Steps between validations. Default 1,000.
    #[serde(default = "network::default_to::<1000, _>")]
    pub validation_interval: u64,
    /// Samples of a validation, always the same ones. Default 8,192.
    #[serde(default = "network::default_to::<8192, _>")]
    pub validation_positions: usize,
    /// Training samples over which normalisation statistics are measured before each validation. Default 8,192.
    #[serde(default = "network::default_to::<8192, _>")]
    pub statistics_positions: usize,
    /// Validations without a better loss after which the run ends early; 0 = never. Default 0.
    #[serde(default)]
    pub patience: u64,
    /// Steps between checkpoints. Default 1,000.
    #[serde(default = "network::default_to::<1000, _>")]
    pub checkpoint_interval: u64,
    /// Checkpoints kept besides the best one. Default 2.
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
