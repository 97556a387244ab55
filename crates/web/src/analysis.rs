//! Live analysis: a search on its own thread, whose newest state is sent to pages.

mod publisher;
mod trees;
mod view;
mod worker;

pub(crate) use trees::TreeStore;
pub(crate) use worker::{Analysis, AnalysisRequest};
