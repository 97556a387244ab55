//! Tables over the stores.

mod manifests;
mod positions;

pub(crate) use positions::{columns_of_stores, store_name};

use datafusion::{dataframe::DataFrame, error::Result, prelude::SessionContext};
use dataset::Store;
use futures_util::{FutureExt as _, future::LocalBoxFuture};

use crate::{QueryError, addresses::place};

/// A table that queries can name.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Table {
    pub name: &'static str,
    /// Description of a row.
    pub rows: &'static str,
    make: for<'a> fn(&'a SessionContext, &'a [Store]) -> LocalBoxFuture<'a, Result<DataFrame>>,
}

/// All tables. Later ones may be built on earlier ones.
pub const TABLES: &[Table] = &[
    positions::POSITIONS,
    GAMES,
    manifests::STORES,
    manifests::SPLITS,
    manifests::SOURCES,
    manifests::ENGINES,
];

/// The samples of each game in one row: a view on `positions`.
const GAMES: Table = Table {
    name: "games",
    rows: "games: `store`, `split`, `game`, `source`, `origin`, `positions` (samples), `first_ply`, `last_ply`, `result` \
           (White's view), `white_rating`, `black_rating`, `eco`, `base_seconds`, `increment_seconds`, `slips`",
    make: |context, _| context.sql(include_str!("tables/games.sql")).boxed_local(),
};

/// Registers the files of the stores with a session. Must be called outside its runtime, because buckets are
/// opened in a separate runtime.
pub(crate) fn connect(context: &SessionContext, stores: &[Store]) -> Result<(), QueryError> {
    for store in stores {
        let place = place(store).map_err(QueryError::engine)?;
        context.register_object_store(place.as_ref(), store.objects()?);
    }
    Ok(())
}

/// Registers the tables of a session. All are views, so that no query can write to a store.
pub(crate) async fn register(context: &SessionContext, stores: &[Store]) -> Result<()> {
    for table in TABLES {
        let rows = (table.make)(context, stores).await?;
        context.register_table(table.name, rows.into_view())?;
    }
    Ok(())
}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Table({})", self.name)
    }
}
