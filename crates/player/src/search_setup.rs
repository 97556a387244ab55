//! The parts of a search other than its evaluator: options, endgame tables, opening book.

use std::{path::Path, sync::Arc};

use chess::{Evaluator, PolyglotBook, Search, SearchOptions, Tablebases};
use search::{
    GeneralOptions, SEARCHES, SearchKind, book::BookOptions, imitation::ImitationOptions, puct::PuctOptions,
    temperature::TemperatureOptions, tree_search,
};

use crate::error::OpenError;

/// The option that names the opening book, as other engines call it.
pub const BOOK_FILE: &str = "BookFile";

/// The option that names the folders of the endgame tables, as every engine calls it.
pub const SYZYGY_PATH: &str = "SyzygyPath";

/// A search without its evaluator and its kind.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SearchSetup {
    pub options: SearchOptions,
    /// Endgame tables.
    pub tables: Option<Arc<Tablebases>>,
    /// The opening book, used if `OwnBook` is set.
    pub book: Option<Arc<PolyglotBook>>,
}

/// Settings of a search for one game or analysis, which replace the corresponding options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOverrides {
    /// Randomness of the move: probability proportional to visits^(1/temperature); 0 plays the most visited.
    pub temperature: f32,
    /// True if moves take as long as a person would.
    pub human_time: bool,
    /// Nodes of the tree that are reported with the result.
    pub branches: u64,
    /// Seed of random choices.
    pub seed: u64,
    /// Memory in MiB.
    pub memory: u64,
    /// Milliseconds between two reports.
    pub report_interval: u64,
}

impl SearchSetup {
    /// The defaults, changed by names and values. Unusable folders, tables and books are an error, because the user has just
    /// typed their names.
    ///
    /// # Errors
    /// [`OpenError`] for the first pair that names nothing, or nothing usable.
    pub fn new(pairs: &[(String, String)]) -> Result<Self, OpenError> {
        let setup = Self::default().with_options(pairs)?;
        // Checked when all pairs are set, because OwnBook and BookFile may come in either order. A GUI sets them one by one and may
        // have only one of them for a while, so `with_options` does not check.
        match (BookOptions::read(&setup.options).own_book, &setup.book) {
            (true, None) => Err(OpenError::NoBook),
            (false, Some(_)) => Err(OpenError::UnusedBook),
            _ => Ok(setup),
        }
    }

    /// Changes options by name and value.
    ///
    /// # Errors
    /// [`OpenError`] for the first pair that names nothing, or nothing usable.
    pub fn with_options(mut self, pairs: &[(String, String)]) -> Result<Self, OpenError> {
        for (name, value) in pairs {
            let (name, value) = (name.clone(), value.clone());
            if name.eq_ignore_ascii_case(SYZYGY_PATH) {
                let (opened, problems) = Tablebases::open(&value);
                if !problems.is_empty() {
                    return Err(OpenError::Tables { name, folders: value, problems: problems.join("; ") });
                }
                self.tables = Some(Arc::new(opened));
            } else if name.eq_ignore_ascii_case(BOOK_FILE) {
                let book = PolyglotBook::read(Path::new(&value)).map_err(|error| OpenError::Book {
                    name,
                    file: value,
                    error,
                })?;
                self.book = Some(Arc::new(book));
            } else {
                search::options::set(&mut self.options, &name, &value)
                    .map_err(|error| OpenError::Option { name, value, error })?;
            }
        }
        Ok(self)
    }

    /// True if the options make moves take as long as a person would.
    pub fn human_time(&self) -> bool {
        ImitationOptions::read(&self.options).human_time
    }

    /// The temperature that the options set.
    pub fn temperature(&self) -> f32 {
        TemperatureOptions::read(&self.options).temperature
    }

    /// Replaces the options that `overrides` sets.
    #[must_use]
    pub fn with_overrides(mut self, overrides: &SearchOverrides) -> Self {
        let SearchOverrides { temperature, human_time, branches, seed, memory: hash, report_interval } =
            *overrides;
        let options = &mut self.options;
        TemperatureOptions { temperature, ..TemperatureOptions::read(options) }.write(options);
        ImitationOptions { human_time, ..ImitationOptions::read(options) }.write(options);
        PuctOptions { branches, ..PuctOptions::read(options) }.write(options);
        GeneralOptions { seed, hash, report_interval, ..GeneralOptions::read(options) }.write(options);
        self
    }

    /// Builds a search of this kind on an evaluator, with the book if there is one.
    pub fn make(&self, kind: &SearchKind, evaluator: Arc<dyn Evaluator>) -> Box<dyn Search> {
        let tables = self.tables.clone();
        match &self.book {
            Some(book) => kind.build_with_book(evaluator, &self.options, tables, Arc::clone(book)),
            None => kind.build(evaluator, &self.options, tables),
        }
    }

    /// Builds a tree search on an evaluator. Its visits are the policy targets of self-play and are shown in
    /// analyses.
    pub fn make_tree_search(&self, evaluator: Arc<dyn Evaluator>) -> Box<dyn Search> {
        self.make(tree_search(), evaluator)
    }

    /// Builds the default search on an evaluator, with the book if there is one.
    pub fn make_default(&self, evaluator: Arc<dyn Evaluator>) -> Box<dyn Search> {
        self.make(&SEARCHES[0], evaluator)
    }
}

#[cfg(test)]
mod tests {
    use chess::{Game, polyglot::BookEntry};

    use super::*;

    fn setup(pairs: &[(&str, &str)]) -> Result<SearchSetup, String> {
        let pairs: Vec<_> = pairs.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        SearchSetup::new(&pairs).map_err(|error| error.to_string())
    }

    #[test]
    fn tables_that_are_not_there_are_an_error() {
        let error = setup(&[("syzygypath", "no/such/folder")]).unwrap_err();
        assert!(error.contains("no/such/folder"), "{error}");
    }

    #[test]
    fn a_book_and_the_wish_to_use_it_belong_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.bin").display().to_string();
        let start = Game::default();
        let entry = BookEntry::new(start.position(), start.legal_moves()[0], 1);
        std::fs::write(&file, PolyglotBook::new(vec![entry]).to_bytes()).unwrap();
        assert!(setup(&[("OwnBook", "true"), ("bookfile", &file)]).unwrap().book.is_some());
        assert!(setup(&[("BookFile", &file)]).unwrap_err().contains("without OwnBook=true"));
        assert!(setup(&[("OwnBook", "true")]).unwrap_err().contains("BookFile=FILE"));
        let missing = setup(&[("OwnBook", "true"), ("BookFile", "no/such.bin")]).unwrap_err();
        assert!(missing.contains("no/such.bin"), "{missing}");
    }
}
