//! Counts over sample stores and over files of games, and the curves from evaluations to results that fit a store ([`fit_wdl`]).
//! Rows are counted one by one, so that other readers can check the counts.
//!
//! # Examples
//! ```
//! use dataset::{BuildConfig, Store, NoObserver, build};
//! use dataset_statistics::Statistics;
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
pub mod html;
mod labels;
mod leaks;
mod legality;
mod openings;
mod phases;
mod ratings;
mod rejected;
mod results;
mod sources;
mod split_chart;
mod splits;
mod statistics;

pub use bars::{Bar, EvaluationBar};
pub use labels::Labels;
pub use leaks::Leaks;
pub use legality::Legality;
pub use openings::OpeningShare;
pub use phases::Phases;
pub use ratings::{RatingBar, Ratings};
pub use rejected::rejected_text;
pub use results::{GameResults, PositionResults};
pub use sources::SourceStatistics;
pub use split_chart::SplitChart;
pub use splits::{SplitSize, Splits};
pub use statistics::{Plies, SourceShare, Statistics};
