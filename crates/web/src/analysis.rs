//! Live analysis: a search on its own thread that sends its newest state to pages.

mod publisher;
mod trees;
mod view;
mod worker;

pub(crate) use trees::TreeStore;
pub(crate) use worker::{Analysis, AnalysisRequest};
