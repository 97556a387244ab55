//! The view of a running search.

use chess::{SearchTrace, TracedBranch};
use serde::Serialize;

/// Stage of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// All threads for searches are taken; the search begins when one is free.
    Waiting,
    Running,
    /// The budget is spent.
    Spent,
    /// Nothing remains to be found.
    Proven,
    /// It was stopped by a request.
    Stopped,
    /// The game is over in this position.
    Over,
    /// It cannot search; the message gives the reason.
    Failed,
}

/// The newest state of an analysis.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AnalysisView {
    /// The number the page gave the position; a state with another number belongs to an older one.
    pub(super) key: u64,
    pub(super) stage: Stage,
    /// The network's id.
    pub(super) network: String,
    /// Display name of the network.
    pub(super) engine: String,
    /// Visits of the root at which it stops.
    pub(super) budget: Option<u64>,
    /// Visits of the root, including those kept from earlier positions.
    pub(super) visits: u64,
    /// Visits kept from earlier positions.
    pub(super) kept: u64,
    pub(super) trace: Option<SearchTrace>,
    /// The most visited nodes of the tree, published under a separate topic.
    #[serde(skip)]
    pub(super) branches: Vec<TracedBranch>,
    pub(super) message: Option<String>,
}
