//! `positions`: the Parquet files of the stores, as they are.

use std::sync::Arc;

use datafusion::{
    arrow::datatypes::{Schema, SchemaRef},
    dataframe::DataFrame,
    datasource::{
        file_format::parquet::ParquetFormat,
        listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl},
    },
    error::{DataFusionError, Result},
    execution::object_store::ObjectStoreUrl,
    logical_expr::{col, lit},
    parquet::arrow::parquet_to_arrow_schema,
    prelude::SessionContext,
};
use dataset::{
    Manifest, Split, Store,
    store::{columns, manifest::StoreFile},
};
use futures_util::FutureExt as _;

use super::Table;
use crate::addresses::place;

pub(super) const POSITIONS: Table = Table {
    name: "positions",
    rows: "samples: `store`, `split` (`train` or `validation`) and the columns of the Parquet files",
    make: |context, stores| async move { make(context, stores) }.boxed_local(),
};

fn make(context: &SessionContext, stores: &[Store]) -> Result<DataFrame> {
    let with_history = stores.iter().any(|store| store.manifest().history > 1);
    let schema = schema(with_history)?;
    // One table for each split of each store, because the files contain the names of neither. Both become constant columns, so a
    // condition on them is decided without reading a file.
    let mut all: Option<DataFrame> = None;
    for store in stores {
        let place = place(store)?;
        let Manifest { train, validation, .. } = store.manifest();
        for (split, files) in [(Split::Train, train), (Split::Validation, validation)] {
            if files.is_empty() {
                continue;
            }
            let mut columns = vec![lit(store_name(store)).alias("store"), lit(split.name()).alias("split")];
            columns.extend(schema.fields().iter().map(|field| col(field.name())));
            let rows = context.read_table(Arc::new(table(&place, files, &schema)?))?.select(columns)?;
            all = Some(match all {
                Some(before) => before.union(rows)?,
                None => rows,
            });
        }
    }
    all.ok_or_else(|| DataFusionError::Plan("the stores have no files, expected at least one".into()))
}

/// Name of a store in the column `store`.
pub(crate) fn store_name(store: &Store) -> String {
    store.path().display().to_string()
}

pub(crate) fn columns_of_stores(with_history: bool) -> Result<Schema> {
    Ok(parquet_to_arrow_schema(&columns(with_history)?, None)?)
}

/// The columns of several stores. If a store lacks the history, it is NULL in its rows.
fn schema(with_history: bool) -> Result<SchemaRef> {
    let schema = columns_of_stores(with_history)?;
    let nullable = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    Ok(Arc::new(Schema::new(nullable.collect::<Vec<_>>())))
}

fn table(place: &ObjectStoreUrl, files: &[StoreFile], schema: &SchemaRef) -> Result<ListingTable> {
    let addresses = files.iter().map(|file| ListingTableUrl::parse(format!("{place}{}", file.name)));
    let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
    let config = ListingTableConfig::new_with_multi_paths(addresses.collect::<Result<_>>()?)
        .with_listing_options(options)
        .with_schema(Arc::clone(schema));
    ListingTable::try_new(config)
}
