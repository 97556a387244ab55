//! Games in, shuffled batches of labelled samples out.
//!
//! A [`source`] reads games with their labels, the [`sampler`] turns each into samples, [`build()`] writes those that pass
//! the [`filter`] into a [`Store`] (Parquet files and a manifest, split by game), and a [`Loader`] streams a split as
//! shuffled, encoded [`Batch`]es.
//!
//! # Examples
//! ```
//! use dataset::{BuildConfig, Split, Store, NoObserver, build};
//!
//! let folder = tempfile::tempdir()?;
//! let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
//! std::fs::write(&games, "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")?;
//! let config = BuildConfig { validation_share: 0.0, ..BuildConfig::new(&output, [&games]) };
//! build(&config, &mut NoObserver)?;
//! let store = Store::open(&output)?;
//! assert_eq!(store.positions(Split::Train), 7, "one sample for each move");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod bad_record;
pub mod batch;
pub mod builder;
pub mod composite;
pub mod error;
pub mod evaluation;
pub mod filter;
pub mod history;
pub mod key_set;
pub mod labels;
pub mod loader;
pub mod packed_move;
pub mod packed_position;
pub mod policy;
pub mod record;
mod reservoir;
pub mod sample;
pub mod sampler;
pub mod source;
pub mod storage;
pub mod store;
mod survey;

pub use bad_record::LeftOut;
pub use batch::{Batch, GameResult, SampleLists, SparseInputs};
pub use builder::{BuildConfig, BuildObserver, NoObserver, StoreWriter, Unlabelled, build};
pub use composite::{DerivedStore, merge};
pub use error::DatasetError;
pub use evaluation::{EvaluationCurve, Stage, evaluation_to_wdl, wdl_to_centipawns};
pub use filter::Filters;
pub use history::History;
pub use labels::{Label, Relabelling, questions, relabel};
pub use loader::{
    Loader, LoaderConfig, LoaderState, OriginWeights, PositionLabeller, SampleWeights, Streaming,
};
pub use packed_position::Phase;
pub use policy::{POLICY_TEMPERATURE, PolicyLabel};
pub use reservoir::Reservoir;
pub use sample::Sample;
pub use storage::{Storage, StorageError};
pub use store::{SampleView, Split, Store, manifest::Manifest};
pub use survey::{PositionCount, count_positions};
