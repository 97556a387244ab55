//! `stores`, `splits`, `sources` and `engines`: the contents of the manifests.

use std::sync::Arc;

use datafusion::{
    arrow::{
        array::{ArrayRef, RecordBatch, StringArray, UInt16Array, UInt64Array},
        error::ArrowError,
    },
    common::DFSchema,
    dataframe::DataFrame,
    error::Result,
    logical_expr::{EmptyRelation, LogicalPlan, LogicalPlanBuilder, col, lit},
    prelude::SessionContext,
    scalar::ScalarValue,
};
use dataset::{Manifest, Split, Store, store::manifest::StoreFile};
use futures_util::FutureExt as _;

use super::{Table, store_name};

pub(super) const STORES: Table = Table {
    name: "stores",
    rows: "stores: `store`, `version`, `tabiya` (that built it), `history`, `games_read`, `rejected`, `duplicates`, \
           `filtered`, `games`, `positions`",
    make: |context, list| async move { rows(context, &stores(list)?) }.boxed_local(),
};

pub(super) const SPLITS: Table = Table {
    name: "splits",
    rows: "Parquet files: `store`, `split`, `file`, `positions`, `bytes`, `xxh3`",
    make: |context, list| async move { rows(context, &splits(list)?) }.boxed_local(),
};

pub(super) const SOURCES: Table = Table {
    name: "sources",
    rows: "files read: `store`, `source` (as in `positions`), `path`, `bytes`, `xxh3`, `records`, `positions`",
    make: |context, list| async move { rows(context, &sources(list)?) }.boxed_local(),
};

pub(super) const ENGINES: Table = Table {
    name: "engines",
    rows: "engines that gave labels: `store`, `engine` (as in `positions`), `name`, `limits`",
    make: |context, list| async move { rows(context, &engines(list)?) }.boxed_local(),
};

/// Rows as constants of the plan, which travels to other machines as a table in memory does not.
fn rows(context: &SessionContext, batch: &RecordBatch) -> Result<DataFrame> {
    let schema = batch.schema();
    let plan = if batch.num_rows() == 0 {
        let schema = Arc::new(DFSchema::try_from(schema)?);
        LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema })
    } else {
        let mut values = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let mut constants = Vec::with_capacity(batch.num_columns());
            for column in batch.columns() {
                constants.push(lit(ScalarValue::try_from_array(column, row)?));
            }
            values.push(constants);
        }
        let named = schema.fields().iter().enumerate();
        // `VALUES` names its columns this way.
        let named = named.map(|(index, field)| col(format!("column{}", index + 1)).alias(field.name()));
        LogicalPlanBuilder::values(values)?.project(named.collect::<Vec<_>>())?.build()?
    };
    Ok(DataFrame::new(context.state(), plan))
}

/// Rows of a manifest with the name of their store.
struct Rows<T>(Vec<(String, T)>);

impl<T> Rows<T> {
    fn of<'a>(stores: &'a [Store], rows: impl Fn(&'a Manifest) -> Vec<T>) -> Self {
        let mut named = Vec::new();
        for store in stores {
            named.extend(rows(store.manifest()).into_iter().map(|row| (store_name(store), row)));
        }
        Self(named)
    }

    fn store(&self) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(self.0.iter().map(|(store, _)| store)))
    }

    fn texts<'a>(&'a self, value: impl Fn(&'a T) -> &'a str) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(self.0.iter().map(|(_, row)| value(row))))
    }

    fn counts(&self, value: impl Fn(&T) -> u64) -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(self.0.iter().map(|(_, row)| value(row))))
    }

    fn indices(&self, value: impl Fn(&T) -> usize) -> ArrayRef {
        Arc::new(UInt16Array::from_iter_values(self.0.iter().map(|(_, row)| value(row) as u16)))
    }
}

fn stores(stores: &[Store]) -> Result<RecordBatch, ArrowError> {
    let rows = Rows::of(stores, |manifest| vec![manifest]);
    RecordBatch::try_from_iter([
        ("store", rows.store()),
        ("version", rows.counts(|manifest| u64::from(manifest.version))),
        ("tabiya", rows.texts(|manifest| &manifest.tabiya)),
        ("history", rows.counts(|manifest| manifest.history as u64)),
        ("games_read", rows.counts(|manifest| manifest.counts.games_read)),
        ("rejected", rows.counts(|manifest| manifest.counts.rejected_total())),
        ("duplicates", rows.counts(|manifest| manifest.counts.duplicates)),
        ("filtered", rows.counts(|manifest| manifest.counts.filtered)),
        ("games", rows.counts(|manifest| manifest.counts.games)),
        ("positions", rows.counts(|manifest| manifest.counts.positions)),
    ])
}

fn splits(stores: &[Store]) -> Result<RecordBatch, ArrowError> {
    let rows: Rows<(&str, &StoreFile)> = Rows::of(stores, |manifest| {
        let train = manifest.train.iter().map(|file| (Split::Train.name(), file));
        let validation = manifest.validation.iter().map(|file| (Split::Validation.name(), file));
        train.chain(validation).collect()
    });
    RecordBatch::try_from_iter([
        ("store", rows.store()),
        ("split", rows.texts(|(split, _)| split)),
        ("file", rows.texts(|(_, file)| &file.name)),
        ("positions", rows.counts(|(_, file)| file.rows)),
        ("bytes", rows.counts(|(_, file)| file.bytes)),
        ("xxh3", rows.texts(|(_, file)| &file.xxh3)),
    ])
}

fn sources(stores: &[Store]) -> Result<RecordBatch, ArrowError> {
    let rows = Rows::of(stores, |manifest| manifest.sources.iter().enumerate().collect());
    RecordBatch::try_from_iter([
        ("store", rows.store()),
        ("source", rows.indices(|(index, _)| *index)),
        ("path", rows.texts(|(_, source)| &source.path)),
        ("bytes", rows.counts(|(_, source)| source.bytes)),
        ("xxh3", rows.texts(|(_, source)| &source.xxh3)),
        ("records", rows.counts(|(_, source)| source.games)),
        ("positions", rows.counts(|(_, source)| source.positions)),
    ])
}

fn engines(stores: &[Store]) -> Result<RecordBatch, ArrowError> {
    let rows = Rows::of(stores, |manifest| manifest.engines.iter().enumerate().collect());
    RecordBatch::try_from_iter([
        ("store", rows.store()),
        ("engine", rows.indices(|(index, _)| *index)),
        ("name", rows.texts(|(_, engine)| &engine.name)),
        ("limits", rows.texts(|(_, engine)| &engine.limits)),
    ])
}
