//! Messages of pages and the replies: each request carries an `id`, which its reply repeats.

use serde::{Deserialize, Serialize};

use crate::analysis::AnalysisRequest;

/// A request of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Request {
    /// Chosen by the page; repeated in the answer.
    pub(super) id: u64,
    #[serde(flatten)]
    pub(super) action: Action,
}

/// Action that a page requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(super) enum Action {
    /// Subscribe to a topic: its state now and every change.
    Sub { topic: String },
    /// Unsubscribe from it.
    Unsub { topic: String },
    /// Search a position from now on, under a name chosen by the page: topic `search/{search}`.
    Search { search: String, request: AnalysisRequest },
    /// Stop searching; the tree is kept until the page drops the name.
    StopSearch { search: String },
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(super) enum Answer {
    Ok { id: u64 },
    Err { id: Option<u64>, code: &'static str, message: String },
}
