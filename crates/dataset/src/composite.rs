//! Stores composed of the samples of other stores: [`merge`] takes all of them, a [`DerivedStore`] those that a query
//! chose.

mod ancestors;
mod derived;
mod merge;

pub use derived::DerivedStore;
pub use merge::merge;
