//! Live analysis: a search on a thread of its own whose newest state pages hear of.

mod teller;
mod view;
mod worker;

pub(crate) use worker::{Analysis, AnalysisWish};
