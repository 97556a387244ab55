//! Problems with the files of a run.

use crate::error::ApiError;

/// Reasons why files of a run are unreadable, gathered so that one of them hides neither the run nor the others.
#[derive(Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    /// The value that was read; records the reason if there is none.
    pub(super) fn note<T>(&mut self, read: Result<T, impl Into<ApiError>>) -> Option<T> {
        read.map_err(|error| self.add(Some(error.into().refusal.message))).ok()
    }

    /// Adds a reason, only once if several readers of a file found the same.
    pub(super) fn add(&mut self, problem: Option<String>) {
        self.0.extend(problem.filter(|problem| !self.0.contains(problem)));
    }

    /// All reasons; `None` if everything could be read.
    pub(super) fn text(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }
}
