//! The training run: steps, validations, checkpoints, log, curves, export.

mod checkpoint;
mod curves;
mod log;
mod observer;
mod origin;
mod provenance;
mod samples;
mod speed;
mod store;
mod trainer;
mod validation;

pub use crate::provenance::{Origin, RecipeChange};
pub use checkpoint::Checkpoint;
pub use log::{LogLine, read_log};
pub use observer::{EndReason, Observer, Outcome, Progress};
pub use provenance::hardware;
pub(crate) use samples::first_batches;
pub use samples::{SampleStream, Samples, StreamRequest, held_out};
pub use speed::{SpeedRequest, StepSeconds, TrainingSpeed, measure_training};
pub use store::StoreSamples;
pub use trainer::Trainer;
pub use validation::{Baselines, Metrics, Validation, validate};

#[cfg(test)]
mod tests;
