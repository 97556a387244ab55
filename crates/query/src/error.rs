//! Errors of queries.

use datafusion::error::DataFusionError;
use dataset::DatasetError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum QueryError {
    /// The query is not SQL, names something that does not exist, or failed on a row.
    #[error("the query failed: {0}")]
    Query(String),
    #[error("no query is called {found:?}; expected one of {known}")]
    UnknownName {
        found: String,
        /// The names of [`crate::QUERIES`], separated by commas.
        known: String,
    },
    #[error(transparent)]
    Store(#[from] DatasetError),
    #[error("cannot prepare the query engine: {0}")]
    Engine(String),
    /// A process of a cluster cannot be reached, or cannot continue.
    #[error("{place}: {reason}")]
    Cluster { place: String, reason: String },
    #[error("cannot write the rows of the query")]
    Output(#[from] std::io::Error),
    /// Rows that were to become a store are not samples.
    #[error("{place}: found {found}, expected {expected}")]
    NoSamples { place: String, found: String, expected: String },
    #[error("stopped before the query was answered")]
    Stopped,
}

impl QueryError {
    /// An error of the query or of the rows it reads.
    #[expect(clippy::needless_pass_by_value, reason = "`map_err` hands over the error")]
    pub(crate) fn query(error: DataFusionError) -> Self {
        Self::Query(text(&error))
    }

    /// A fault before there is a query.
    #[expect(clippy::needless_pass_by_value, reason = "`map_err` hands over the error")]
    pub(crate) fn engine(error: DataFusionError) -> Self {
        Self::Engine(text(&error))
    }
}

/// The engine's message on one line.
fn text(error: &DataFusionError) -> String {
    error.strip_backtrace().split_whitespace().collect::<Vec<_>>().join(" ")
}
