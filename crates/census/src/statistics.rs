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
mod leaks;
mod legality;
mod rejected;
mod results;
mod sources;
mod splits;
mod summary;

pub use bars::{Bar, EvaluationBar};
pub use groups::{OpeningShare, Phases, RatingBar, Ratings};
pub use labels::Labels;
pub use leaks::Leaks;
pub use legality::Legality;
pub use rejected::rejected_text;
pub use results::{GameResults, PositionResults};
pub use sources::SourceStatistics;
pub use splits::{SplitChart, SplitSize, Splits};
pub use summary::{Plies, SourceShare, Statistics};
