//! Counts over sample stores and over files of games, and the curves from evaluations to results that fit a store ([`fit_wdl`]).
//! Rows are counted one by one, so that other readers can check the counts.
//!
//! # Examples
//! ```
//! use census::statistics::Statistics;
//! use dataset::{BuildConfig, Store, NoObserver, build};
//!
//! let folder = tempfile::tempdir()?;
//! let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
//! std::fs::write(&games, "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")?;
//! build(&BuildConfig::new(&output, [&games]), &mut NoObserver)?;
//! let found = Statistics::count(&Store::open(&output)?, |_| {})?;
//! assert_eq!((found.games, found.positions, found.results.white), (1, 7, 1));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod bars;
mod counter;
pub mod fit_wdl;
mod games;
mod groups;
pub mod html;
mod labels;
mod sources;
mod splits;
mod summary;

pub use bars::{Bar, EvaluationBar};
pub use groups::{GameResults, OpeningShare, Phases, PositionResults, RatingBar, Ratings};
pub use labels::{Labels, Legality};
pub use sources::SourceStatistics;
pub use splits::{Leaks, SplitChart, SplitSize, Splits};
pub use summary::{Plies, SourceShare, Statistics, rejected_text};
