//! The rows of a query on a cluster: all of them, once.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Seek as _},
    sync::Arc,
};

use ballista_core::execution_plans::DistributedQueryExec;
use datafusion::{
    arrow::{
        error::ArrowError,
        ipc::{reader::StreamReader, writer::StreamWriter},
    },
    dataframe::DataFrame,
    physical_plan::ExecutionPlan,
    prelude::SessionContext,
};
use datafusion_proto::protobuf::LogicalPlanNode;

use super::{client::Client, jobs::LOST};
use crate::{
    QueryError,
    answer::{RowObserver, Rows, answer},
};

/// Attempts at a query when executors are lost in the middle of it.
const ATTEMPTS: usize = 3;

impl Client {
    /// Runs a query; the part that reads stores runs on the cluster. The observer receives rows only when all
    /// have been fetched, so that the rows of a lost executor can be requested again.
    pub(crate) async fn answer(
        &self,
        context: &SessionContext,
        question: DataFrame,
        observer: &mut dyn RowObserver,
    ) -> Result<(), QueryError> {
        let mut planned = self.plan(question.clone()).await.map_err(QueryError::query)?;
        observer.begin(&planned.schema())?;
        if distributed(&planned).is_none() {
            return answer(context, &planned, observer, || (0, 0)).await;
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut held = Held { observer, file: None };
            let Err(error) = answer(context, &planned, &mut held, || (0, 0)).await else {
                return held.release();
            };
            // The error of the query matters more than whether the cluster hears of it.
            let _ = self.cancel(&planned).await;
            if attempts == ATTEMPTS || !has_lost_rows(&planned, &error) {
                return Err(error);
            }
            // Planned again, because a plan remembers the job that failed.
            planned = self.plan(question.clone()).await.map_err(QueryError::query)?;
        }
    }
}

/// The part of a plan that a cluster does.
pub(super) fn distributed(plan: &Arc<dyn ExecutionPlan>) -> Option<&DistributedQueryExec<LogicalPlanNode>> {
    plan.downcast_ref()
}

/// True if a failed query may succeed when repeated: the scheduler reports it, or the job was done and its
/// rows could not be fetched. A plan has this metric only when its job is done.
fn has_lost_rows(plan: &Arc<dyn ExecutionPlan>, error: &QueryError) -> bool {
    let is_done =
        || plan.metrics().is_some_and(|metrics| metrics.sum_by_name("job_execution_time_ms").is_some());
    matches!(error, QueryError::Query(message) if message.contains(LOST) || is_done())
}

/// Rows in a temporary file until all of them are there.
struct Held<'a> {
    observer: &'a mut dyn RowObserver,
    file: Option<StreamWriter<BufWriter<File>>>,
}

impl Held<'_> {
    /// Hands over all rows.
    fn release(self) -> Result<(), QueryError> {
        let Some(writer) = self.file else { return Ok(()) };
        let buffer = writer.into_inner().map_err(refused)?;
        let mut file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        for batch in StreamReader::try_new(BufReader::new(file), None).map_err(refused)? {
            self.observer.rows(&batch.map_err(refused)?)?;
            self.observer.progress(0, 0)?;
        }
        Ok(())
    }
}

impl RowObserver for Held<'_> {
    fn rows(&mut self, batch: &Rows) -> Result<(), QueryError> {
        let writer = if let Some(writer) = &mut self.file {
            writer
        } else {
            let writer = StreamWriter::try_new_buffered(tempfile::tempfile()?, &batch.schema());
            self.file.insert(writer.map_err(refused)?)
        };
        writer.write(batch).map_err(refused)
    }

    fn progress(&mut self, read: u64, samples: u64) -> Result<(), QueryError> {
        self.observer.progress(read, samples)
    }
}

/// A temporary file that cannot be written or read.
fn refused(error: ArrowError) -> QueryError {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        error => io::Error::other(error).into(),
    }
}
