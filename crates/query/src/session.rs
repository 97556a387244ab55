//! Runs queries.

use std::{
    num::NonZeroUsize,
    sync::Arc,
    time::{Duration, Instant},
};

use datafusion::{
    arrow::{array::RecordBatch, datatypes::SchemaRef},
    error::DataFusionError,
    execution::{context::SQLOptions, memory_pool::FairSpillPool, runtime_env::RuntimeEnvBuilder},
    physical_plan::{ExecutionPlan, ExecutionPlanProperties as _, execute_stream},
    prelude::{SessionConfig, SessionContext},
};
use dataset::{Split, Store};
use futures_util::StreamExt as _;
use tokio::{runtime::Runtime, time::timeout};

#[cfg(feature = "cluster")]
use crate::cluster::Client;
use crate::{FUNCTIONS, QueryError, tables};

/// How long a query runs before its observer hears of its progress again.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The columns of an answer, as Arrow describes them.
pub type Columns = SchemaRef;

/// Rows of an answer, as Arrow holds them.
pub type Rows = RecordBatch;

/// What a query may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Threads; as many as there are cores where none are given. With one, a query of the same stores has its rows in the same order
    /// each time, and those that it takes from a table as they are in the order of the files.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of memory for groups, sorts and joins. Groups and sorts that need more use temporary files.
    pub memory_bytes: usize,
}

impl Default for Resources {
    fn default() -> Self {
        Self { threads: None, memory_bytes: 400 << 20 }
    }
}

/// What takes the rows of a query.
pub trait Observer {
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

    /// Some ten times a second: samples read so far, and those of the stores. A query that reads a table twice reads more than
    /// there are, one with a condition often fewer. A cluster does not tell: 0 and 0.
    ///
    /// # Errors
    /// Ends the query; [`QueryError::Stopped`] is for those who are asked to stop.
    fn progress(&mut self, _read: u64, _samples: u64) -> Result<(), QueryError> {
        Ok(())
    }
}

/// Stores that can be asked.
pub struct Session {
    context: SessionContext,
    runtime: Runtime,
    samples: u64,
    #[cfg(feature = "cluster")]
    cluster: Option<Client>,
}

impl Session {
    /// Makes the tables of the stores.
    ///
    /// # Errors
    /// [`QueryError::Engine`] or [`QueryError::Store`].
    pub fn open(stores: &[Store], resources: Resources) -> Result<Self, QueryError> {
        let threads = resources.threads.or_else(|| std::thread::available_parallelism().ok());
        let memory = Arc::new(FairSpillPool::new(resources.memory_bytes));
        let environment = without_caches(RuntimeEnvBuilder::new()).with_memory_pool(memory).build_arc();
        let environment = environment.map_err(|error| QueryError::engine(&error))?;
        let config = SessionConfig::new()
            .with_target_partitions(threads.map_or(1, NonZeroUsize::get))
            .with_information_schema(true);
        let context = SessionContext::new_with_config_rt(config, environment);
        for function in FUNCTIONS {
            context.register_udf(function.to_udf());
        }
        tables::connect(&context, stores)?;
        Self::of(context, stores, runtime(threads)?)
    }

    /// The same on the cluster of the scheduler at `HOST:PORT`, in so many parts at a time (16 where none are given). Its machines
    /// open the stores under the paths or addresses that these have here, relative ones as absolute.
    ///
    /// # Errors
    /// [`QueryError::Cluster`] where there is no scheduler or none with executors, [`QueryError::Engine`] or [`QueryError::Store`].
    #[cfg(feature = "cluster")]
    pub fn on_cluster(
        stores: &[Store],
        scheduler: &str,
        parts: Option<NonZeroUsize>,
    ) -> Result<Self, QueryError> {
        let cluster = Client::connect(scheduler)?;
        let context = cluster.context(parts).map_err(|error| QueryError::engine(&error))?;
        let session = Self::of(context, stores, runtime(None)?)?;
        Ok(Self { cluster: Some(cluster), ..session })
    }

    fn of(context: SessionContext, stores: &[Store], runtime: Runtime) -> Result<Self, QueryError> {
        let made = runtime.block_on(tables::register(&context, stores));
        made.map_err(|error| QueryError::engine(&error))?;
        let positions = |store: &Store| store.positions(Split::Train) + store.positions(Split::Validation);
        Ok(Self {
            context,
            runtime,
            samples: stores.iter().map(positions).sum(),
            #[cfg(feature = "cluster")]
            cluster: None,
        })
    }

    /// Answers one SQL query: `SELECT`, `EXPLAIN`, `SHOW TABLES`, or `COPY (SELECT ...) TO 'FILE.parquet'`. The tables cannot be
    /// changed.
    ///
    /// # Errors
    /// [`QueryError::Query`] where it cannot be answered, or what the observer ends it with.
    pub fn run(&self, sql: &str, observer: &mut dyn Observer) -> Result<(), QueryError> {
        self.runtime.block_on(async {
            let failed = |error: DataFusionError| QueryError::query(&error);
            let options = SQLOptions::new().with_allow_ddl(false).with_allow_statements(false);
            let question = self.context.sql_with_options(sql, options).await.map_err(failed)?;
            #[cfg(feature = "cluster")]
            if let Some(cluster) = &self.cluster {
                return cluster.answer(&self.context, question, observer).await;
            }
            let plan = question.create_physical_plan().await.map_err(failed)?;
            observer.begin(&plan.schema())?;
            answer(&self.context, &plan, observer, || (samples_read(plan.as_ref()), self.samples)).await
        })
    }
}

/// Runs a plan; `progress` is samples read and those of the stores.
pub(crate) async fn answer(
    context: &SessionContext,
    plan: &Arc<dyn ExecutionPlan>,
    observer: &mut dyn Observer,
    progress: impl Fn() -> (u64, u64),
) -> Result<(), QueryError> {
    let failed = |error: DataFusionError| QueryError::query(&error);
    let mut reported = Instant::now();
    // The parts of a plan for one thread follow each other; others have their rows as they come.
    let in_turn = context.state().config().target_partitions() == 1;
    let parts = if in_turn { plan.output_partitioning().partition_count() } else { 1 };
    for part in 0..parts {
        let rows = if in_turn {
            plan.execute(part, context.task_ctx())
        } else {
            execute_stream(Arc::clone(plan), context.task_ctx())
        };
        let mut rows = rows.map_err(failed)?;
        loop {
            match timeout(PROGRESS_INTERVAL, rows.next()).await {
                Ok(None) => break,
                Ok(Some(batch)) => observer.rows(&batch.map_err(failed)?)?,
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

/// Plans are trees that DataFusion and Ballista walk by recursion: that of `deduplicated` overflows the 2 MiB that threads of tokio
/// have, which ends a scheduler.
const STACK_BYTES: usize = 32 << 20;

/// A runtime with so many threads, or as many as there are cores.
pub(crate) fn runtime(threads: Option<NonZeroUsize>) -> Result<Runtime, QueryError> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.thread_stack_size(STACK_BYTES);
    if let Some(threads) = threads {
        runtime.worker_threads(threads.get());
    }
    runtime.enable_all().build().map_err(|error| QueryError::Engine(error.to_string()))
}

/// The caches tell files by path, size and time alone, and files of all stores have the same paths.
pub(crate) fn without_caches(environment: RuntimeEnvBuilder) -> RuntimeEnvBuilder {
    environment.with_metadata_cache_limit(0).with_file_statistics_cache_limit(0)
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Session({} samples)", self.samples)
    }
}

/// Rows that the leaves of a plan have given so far.
fn samples_read(plan: &dyn ExecutionPlan) -> u64 {
    let children = plan.children();
    if children.is_empty() {
        return plan.metrics().and_then(|metrics| metrics.output_rows()).unwrap_or(0) as u64;
    }
    children.into_iter().map(|child| samples_read(child.as_ref())).sum()
}
