//! Labels from engines and networks, for given positions ([`store_labelling`]) or for games generated to be labelled
//! ([`generation`]). [`dataset`] reads, builds and loads stores.
//!
//! # Examples
//! A session of labels, which a killed process would resume from its journal:
//! ```
//! use chess::StopSignal;
//! use dataset::{BuildConfig, Store, Unlabelled, NoObserver, build};
//! use labelling::{
//!     Labellers,
//!     store_labelling::{LabelJournal, StoreLabelling},
//! };
//!
//! let folder = tempfile::tempdir()?;
//! let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
//! std::fs::write(&games, "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")?;
//! build(&BuildConfig { unlabelled: Unlabelled::Await, ..BuildConfig::new(&output, [&games]) }, &mut NoObserver)?;
//!
//! let labellers = Labellers::of(&"net=material,nodes=20".parse()?, None, 1)?;
//! let stop = StopSignal::default();
//! let labelling = StoreLabelling { labellers: &labellers, processes: 1, session: 4, rating: None, stop: &stop };
//! let mut journal = LabelJournal::open(&folder.path().join("labels.jsonl"), "material, 20 nodes")?;
//! let advance = labelling.run(&Store::open(&output)?, &mut journal, &mut |_| {})?;
//! assert_eq!((advance.rows, advance.labelled), (7, 7));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod error;
pub mod generation;
mod labeller;
#[cfg(feature = "laws")]
pub mod laws;
pub mod store_labelling;
mod worker_pool;

pub use error::LabellingError;
pub use labeller::{Labeller, Labellers};
