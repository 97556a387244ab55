//! Analyses that people made on the page, kept in a folder: games with their variations, comments and glyphs.

mod store;
mod view;

pub(crate) use store::AnalysisStore;
pub(crate) use view::{AnalysisDraft, AnalysisList, AnalysisSummary, KeptAnalysis};
