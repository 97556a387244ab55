//! Work on games and sample stores: labels from engines and networks ([`store_labelling`]), games that engines play for the
//! purpose ([`generation`]), [`statistics`], value curves fitted to results ([`fit_wdl`]), and the games of one person
//! ([`personal`]). Reading, building and loading stores is the task of [`dataset`].
//!
//! # Examples
//! ```
//! use dataset::{BuildConfig, Store, Unobserved, build};
//! use labelling::Statistics;
//!
//! let folder = tempfile::tempdir()?;
//! let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
//! std::fs::write(&games, "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")?;
//! build(&BuildConfig::new(&output, [&games]), &mut Unobserved)?;
//! let found = Statistics::count(&Store::open(&output)?, |_| {})?;
//! assert_eq!((found.games, found.positions, found.results.white), (1, 7, 1));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod error;
pub mod fit_wdl;
pub mod generation;
mod labeller;
pub mod personal;
pub mod statistics;
pub mod store_labelling;
mod worker_pool;

pub use error::LabellingError;
pub use labeller::{Labeller, Labellers};
pub use personal::{PersonalError, PersonalStore};
pub use statistics::{SourceStatistics, Statistics};
