//! Queries on a cluster of Apache DataFusion Ballista: a scheduler splits the plan of a query into stages of
//! tasks; executors poll it for tasks, run them and exchange rows. If an executor is lost, others repeat its
//! tasks, or the query is repeated.
//!
//! Every machine of a cluster opens the stores of a query itself, under the same path or bucket as the
//! client. There is no authentication: any machine that reaches a scheduler can read everything that its
//! executors can.

mod answers;
mod client;
mod configuration;
mod executor;
mod jobs;
mod scheduler;
mod stores;

pub(crate) use client::Client;
pub use executor::{Executor, execute};
pub use scheduler::{Event, Scheduler, schedule};

use std::fmt::Display;

use crate::QueryError;

/// A fault of a process of a cluster at a network address.
fn fault(place: impl Display, reason: impl Display) -> QueryError {
    QueryError::Cluster { place: place.to_string(), reason: reason.to_string() }
}
