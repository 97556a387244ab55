//! Sample stores from the rows of a query.

use std::path::{Path, PathBuf};

use dataset::{DerivedStore, Manifest, Store};

use crate::{
    QueryError,
    answer::{Columns, RowObserver, Rows},
    store_columns::StoreColumns,
};

/// Writes the rows of a query as a sample store, for `tabiya train` and everything else that reads stores.
/// The rows must have the columns of `positions`, of which `split` selects the split; nothing is written
/// before the columns are checked. Rows of several stores, or of earlier versions, become one store of the
/// present version.
#[derive(Debug)]
pub struct StoreRows<'a> {
    output: PathBuf,
    stores: &'a [Store],
    begun: Option<(StoreColumns, DerivedStore<'a>)>,
}

/// A store written from the rows of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Content and origin of the store.
    pub manifest: Manifest,
    /// Continuations of a game after samples of other games: statistics of games leave such parts out. Zero if the rows
    /// came in the order of the stores, or sorted by `game`.
    pub parted_games: u64,
}

impl<'a> StoreRows<'a> {
    /// A writer of a new store. The query must run over these stores, in this order.
    pub fn new(output: &Path, stores: &'a [Store]) -> Self {
        Self { output: output.into(), stores, begun: None }
    }

    /// Completes the store; the query is kept in its manifest. A writer that is dropped before leaves nothing.
    ///
    /// # Errors
    /// [`QueryError::Store`] if there are no rows, or the store cannot be written.
    pub fn finish(self, sql: &str) -> Result<Derived, QueryError> {
        let Some((_, store)) = self.begun else { return Err(QueryError::Stopped) };
        let parted_games = store.parted_games();
        Ok(Derived { manifest: store.finish(sql)?, parted_games })
    }
}

impl RowObserver for StoreRows<'_> {
    fn begin(&mut self, columns: &Columns) -> Result<(), QueryError> {
        let columns = StoreColumns::of(columns, self.stores)?;
        let store = DerivedStore::create(&self.output, self.stores, columns.history)?;
        self.begun = Some((columns, store));
        Ok(())
    }

    fn rows(&mut self, batch: &Rows) -> Result<(), QueryError> {
        let Some((columns, store)) = &mut self.begun else { return Err(QueryError::Stopped) };
        for placed in columns.samples(batch)? {
            store.write(placed.store, placed.split, placed.sample)?;
        }
        Ok(())
    }
}
