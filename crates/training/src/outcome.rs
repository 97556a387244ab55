//! The result of a run.

use std::path::PathBuf;

use network::{Origin, Provenance};
use serde::Serialize;

use crate::validation::Validation;

/// The cause of a run's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All steps were taken.
    Finished,
    /// Validation stopped improving.
    Stale,
    /// The stop signal was received; a checkpoint was written.
    Interrupted,
}

/// The result of a run; also the content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingOutcome {
    /// The cause of the end.
    pub ending: EndReason,
    /// Number of steps taken.
    pub step: u64,
    /// Number of samples seen.
    pub positions: u64,
    /// Seconds spent in training.
    pub seconds: f64,
    /// The step of the exported weights, if there are any.
    pub exported_step: Option<u64>,
    /// The exported weights file; in `summary.json` its name in the run's folder.
    pub network: Option<PathBuf>,
    /// Validation of the exported weights.
    pub validation: Option<Validation>,
    /// Provenance of the exported weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<SummaryProvenance>,
}

/// Provenance of a run's weights: the part of [`Provenance`] that a reader of `summary.json` without the weights file
/// needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryProvenance {
    /// Git commit of the program; `unknown` outside a checkout.
    pub commit: String,
    /// Hash of the sample store.
    pub data: String,
    /// Processor and threads.
    pub hardware: String,
    /// The network from which training started, unless it started from random weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl From<&Provenance> for SummaryProvenance {
    fn from(provenance: &Provenance) -> Self {
        let Provenance { commit, data, hardware, origin, .. } = provenance.clone();
        Self { commit, data, hardware, origin }
    }
}
