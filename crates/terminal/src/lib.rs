//! The terminal interface: progress of long commands, Ctrl-C, statistics, and a game against a search.
//!
//! Progress goes to standard error, as a bar on a terminal and as occasional lines elsewhere, so that
//! standard output has only results. There is no example, because it would need a terminal.

mod build_progress;
mod error;
pub mod game;
mod interrupt;
mod match_progress;
mod progress_bar;
pub mod statistics;
mod training_progress;
mod validation;

pub use build_progress::{BuildProgress, SHOWN_BROKEN, build_summary};
pub use error::TerminalError;
pub use interrupt::{on_interrupt, stop_on_interrupt};
pub use match_progress::MatchProgress;
pub use progress_bar::{continue_from, print_line, progress_bar};
pub use training_progress::TrainingProgress;
pub use validation::validation_lines;
