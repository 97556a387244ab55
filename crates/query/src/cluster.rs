//! Queries on a cluster of Apache DataFusion Ballista: a scheduler cuts the plan of a query into stages of tasks, executors ask
//! it for tasks, run them and hand rows to each other. If an executor is lost, others repeat its tasks, or the query is asked
//! again.
//!
//! Every machine of a cluster opens the stores of a query itself, by the path or bucket under which the asking machine has
//! opened them. Nobody is asked for a password: whoever reaches a scheduler can read what its executors can.

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

use crate::QueryError;

/// A fault of a process of a cluster at a network address.
fn fault(place: &dyn ToString, reason: &dyn ToString) -> QueryError {
    QueryError::Cluster { place: place.to_string(), reason: reason.to_string() }
}
