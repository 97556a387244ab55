//! Training networks on samples: recipes, losses, runs that can be stopped and resumed, and validation
//! on held-out samples.
//!
//! ```
//! use network::{Spec, synthetic};
//! use training::{Learner, LossConfig, OptimiserConfig};
//!
//! let spec = Spec::from_toml("blocks = 1\nchannels = 16").expect("a valid specification");
//! let batch = synthetic::batch(&spec, &synthetic::positions(16, 1), 1);
//! let (losses, optimiser) = (LossConfig::default(), OptimiserConfig::default());
//! let mut learner = Learner::new(&spec, losses, optimiser, 1).expect("the CPU is always there");
//! let first = learner.step(&batch, 0.01).expect("the batch is of the same encoding");
//! let more = (0..20).map(|_| learner.step(&batch, 0.01).expect("the batch is of the same encoding"));
//! assert!(more.last().expect("twenty steps").total_loss < first.total_loss);
//! ```

mod checkpoint;
mod curves;
mod error;
#[cfg(any(test, feature = "laws"))]
pub mod laws;
mod layer_norms;
mod learner;
mod log;
mod loss_figure;
mod losses;
mod output_gradients;
mod probes;
mod recipe;
mod samples;
mod schedule;
mod speed;
mod store;
mod stream;
#[cfg(test)]
mod synthetic;
mod trainer;
mod usage;
mod validation;
mod value_labels;
mod value_target;

pub use checkpoint::Checkpoint;
pub use curves::SmoothedLoss;
pub use error::TrainingError;
pub use layer_norms::LayerNorms;
pub use learner::{Learner, StepReport};
pub use log::{LogLine, read_log};
pub use loss_figure::{LossCurve, draw_loss_curves};
pub use losses::{LossConfig, ValueLoss};
pub use network::{DeadUnits, OptimiserConfig, OptimiserKind};
pub use recipe::{MAX_THREADS, Recipe, RecipeChanges, Scale, TrainingConfig};
pub use samples::{SampleStream, Samples, StreamRequest, first_batches, held_out};
pub use schedule::Schedule;
pub use speed::{MultiplyAdds, SpeedRequest, StepSeconds, TrainingSpeed, measure_training};
pub use store::{PREFETCH, StoreSamples};
pub use stream::StreamConfig;
pub use trainer::{
    EndReason, StepProgress, SummaryProvenance, Trainer, TrainingObserver, TrainingOutcome, Unobserved,
};
pub use usage::hardware;
pub use validation::{Baselines, Metric, Metrics, Validation, validate, validate_graph};
pub use value_labels::ValueLabels;
pub use value_target::{MatePawns, ValueLabel, ValueTarget};
