//! Live analysis: a search on a thread of its own whose newest state pages hear of.

mod publisher;
mod trees;
mod view;
mod worker;

pub(crate) use trees::TreeStore;
pub(crate) use worker::{Analysis, AnalysisRequest};
