use std::path::PathBuf;

use chess::Chess;
use tempfile::NamedTempFile;

use super::{OpeningMove, Openings, OpeningsError, OpeningsView};

/// A program without opening tables.
pub(crate) struct NoOpenings;

impl Openings for NoOpenings {
    fn view(&self) -> Result<OpeningsView, OpeningsError> {
        Ok(OpeningsView { tables: Vec::new(), sources: Vec::new(), folder: String::new() })
    }

    fn make(&self, source: &str) -> Result<(), OpeningsError> {
        Err(OpeningsError::Unknown(format!("there is no source {source:?}")))
    }

    fn waiting_room(&self) -> Result<PathBuf, OpeningsError> {
        Err(OpeningsError::Failed("this server keeps no opening tables".into()))
    }

    fn make_of_file(&self, _: &str, _: NamedTempFile) -> Result<(), OpeningsError> {
        Err(OpeningsError::Failed("this server keeps no opening tables".into()))
    }

    fn stop(&self, _: &str) {}

    fn delete(&self, id: &str) -> Result<(), OpeningsError> {
        Err(OpeningsError::Unknown(format!("there is no opening table {id:?}")))
    }

    fn moves(&self, id: &str, _: &Chess) -> Result<Vec<OpeningMove>, OpeningsError> {
        Err(OpeningsError::Unknown(format!("there is no opening table {id:?}")))
    }
}
