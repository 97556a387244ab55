//! Games in, shuffled batches of labelled samples out.

pub mod batch;
pub mod builder;
pub mod error;
pub mod filter;
pub mod history;
pub mod loader;
pub mod packed_move;
pub mod packed_position;
pub mod record;
pub mod sample;
pub mod sampler;
pub mod source;
pub mod store;

pub use batch::{Batch, GameResult};
pub use builder::{BuildConfig, BuildObserver, Unobserved, build};
pub use error::DatasetError;
pub use filter::Filters;
pub use loader::{Loader, LoaderConfig, LoaderState, ResultUse};
pub use sample::Sample;
pub use store::{Split, Store, manifest::Manifest};
