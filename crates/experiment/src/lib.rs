//! Experiments described in one file: their commands, run in order, and comparisons of their results. The
//! file defines the source of the samples, the network or regression trained on them, the player and the
//! measurements.
//!
//! The sections of the training are [`Learning`]. The sections around it become command lines of the program,
//! so each is checked by the declarations of the command that reads it: filters by `data build`, options by
//! the search, measurements by their own commands. The caller passes these declarations as a
//! [`CheckCommand`]. A [`Runner`] runs the commands, and a [`ComparisonPlan`] runs those that compare several
//! experiments.
//!
//! # Examples
//! ```
//! use std::path::Path;
//!
//! use experiment::Experiment;
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("tiny.toml");
//! std::fs::write(&file, "title = 'Tiny'\ndata = 'stores/x'\ntraining = { steps = 900 }\nnetwork = { blocks = 1, channels = 8 }")?;
//! // The program looks its commands up; here every one is right.
//! let experiment = Experiment::read(&file, |_arguments| Ok(()))?;
//! let steps = experiment.steps(Path::new("runs"))?;
//! assert!(steps[0].arguments.starts_with(&["train".into()]));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod comparison;
mod data;
mod error;
mod estimate;
mod experiment;
mod learning;
mod published;
mod runner;
mod scale;
mod step;
mod steps;

pub use comparison::{ComparisonPlan, read_comparison};
pub use data::DataSection;
pub use error::ExperimentError;
pub use estimate::{Estimate, PlannedStep, Probe, plan_lines};
pub use experiment::{CheckCommand, EvaluationSection, Experiment, Sections};
pub use learning::Learning;
pub use published::{Pairing, Published};
pub use runner::{Ending, Runner};
pub use step::{Output, Step};

#[cfg(test)]
mod tests;
