//! Runs plans, and hands their rows to an observer.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use datafusion::{
    arrow::{array::RecordBatch, datatypes::SchemaRef},
    physical_plan::{ExecutionPlan, ExecutionPlanProperties as _, execute_stream},
    prelude::SessionContext,
};
use futures_util::StreamExt as _;
use tokio::time::timeout;

use crate::QueryError;

/// Interval at which the observer of a query hears of its progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The columns of a query result: an Arrow schema.
pub type Columns = SchemaRef;

/// Rows of a query result: an Arrow record batch.
pub type Rows = RecordBatch;

/// Receives the rows of a query.
pub trait RowObserver {
    /// The columns, before any row.
    ///
    /// # Errors
    /// Ends the query.
    fn begin(&mut self, _columns: &Columns) -> Result<(), QueryError> {
        Ok(())
    }

    /// More rows.
    ///
    /// # Errors
    /// Ends the query.
    fn rows(&mut self, batch: &Rows) -> Result<(), QueryError>;

    /// About ten times a second: samples read so far, and all samples of the stores. A query that reads a table twice reads
    /// more than there are, one with a condition often fewer. A cluster does not report them: 0 and 0.
    ///
    /// # Errors
    /// An error ends the query; [`QueryError::Stopped`] if the observer stops it.
    fn progress(&mut self, _read: u64, _samples: u64) -> Result<(), QueryError> {
        Ok(())
    }
}

/// Runs a plan; `progress` receives the number of samples read and of all samples in the stores.
pub(crate) async fn answer(
    context: &SessionContext,
    plan: &Arc<dyn ExecutionPlan>,
    observer: &mut dyn RowObserver,
    progress: impl Fn() -> (u64, u64),
) -> Result<(), QueryError> {
    let mut reported = Instant::now();
    // With one thread the partitions of a plan run in order; with more, rows come from all of them as they
    // are ready.
    let in_turn = context.state().config().target_partitions() == 1;
    let parts = if in_turn { plan.output_partitioning().partition_count() } else { 1 };
    for part in 0..parts {
        let rows = if in_turn {
            plan.execute(part, context.task_ctx())
        } else {
            execute_stream(Arc::clone(plan), context.task_ctx())
        };
        let mut rows = rows.map_err(QueryError::query)?;
        loop {
            match timeout(PROGRESS_INTERVAL, rows.next()).await {
                Ok(None) => break,
                Ok(Some(batch)) => observer.rows(&batch.map_err(QueryError::query)?)?,
                // No rows yet: a sort or a join reads everything first, and its progress is reported all the same.
                Err(_) => {}
            }
            if reported.elapsed() >= PROGRESS_INTERVAL {
                let (read, samples) = progress();
                observer.progress(read, samples)?;
                reported = Instant::now();
            }
        }
    }
    Ok(())
}
