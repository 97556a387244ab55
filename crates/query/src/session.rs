//! Runs queries.

use std::{num::NonZeroUsize, sync::Arc};

use datafusion::{
    execution::{context::SQLOptions, memory_pool::FairSpillPool, runtime_env::RuntimeEnvBuilder},
    physical_plan::ExecutionPlan,
    prelude::{SessionConfig, SessionContext},
};
use dataset::{Split, Store};
use tokio::runtime::Runtime;

#[cfg(feature = "cluster")]
use crate::cluster::Client;
use crate::{
    FUNCTIONS, QueryError,
    answer::{RowObserver, answer},
    resources::{Resources, runtime, without_caches},
    tables,
};

/// Stores that can be queried.
pub struct SqlSession {
    context: SessionContext,
    runtime: Runtime,
    samples: u64,
    #[cfg(feature = "cluster")]
    cluster: Option<Client>,
}

impl SqlSession {
    /// Opens the stores as tables.
    ///
    /// # Errors
    /// [`QueryError::Engine`] or [`QueryError::Store`].
    pub fn open(stores: &[Store], resources: Resources) -> Result<Self, QueryError> {
        let threads = resources.threads.or_else(|| std::thread::available_parallelism().ok());
        // Every sort and group of a query gets an equal share and spills what exceeds it. Without shares, the first one could take all
        // memory and leave the next nothing to begin with.
        let memory = Arc::new(FairSpillPool::new(resources.memory_bytes));
        let environment = without_caches(RuntimeEnvBuilder::new()).with_memory_pool(memory).build_arc();
        let environment = environment.map_err(QueryError::engine)?;
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

    /// Opens the stores on the cluster of the scheduler at `HOST:PORT`, in `parts` partitions (default 16).
    /// Its machines open the stores under the paths or addresses given here, relative paths as absolute ones.
    ///
    /// # Errors
    /// [`QueryError::Cluster`] if there is no scheduler or it has no executors, [`QueryError::Engine`] or [`QueryError::Store`].
    #[cfg(feature = "cluster")]
    pub fn on_cluster(
        stores: &[Store],
        scheduler: &str,
        parts: Option<NonZeroUsize>,
    ) -> Result<Self, QueryError> {
        let cluster = Client::connect(scheduler)?;
        let context = cluster.context(parts).map_err(QueryError::engine)?;
        let session = Self::of(context, stores, runtime(None)?)?;
        Ok(Self { cluster: Some(cluster), ..session })
    }

    fn of(context: SessionContext, stores: &[Store], runtime: Runtime) -> Result<Self, QueryError> {
        runtime.block_on(tables::register(&context, stores)).map_err(QueryError::engine)?;
        let mut samples = 0;
        for store in stores {
            samples += store.positions(Split::Train) + store.positions(Split::Validation);
        }
        Ok(Self {
            context,
            runtime,
            samples,
            #[cfg(feature = "cluster")]
            cluster: None,
        })
    }

    /// Runs one SQL query: `SELECT`, `EXPLAIN`, `SHOW TABLES`, or `COPY (SELECT ...) TO 'FILE.parquet'`. The
    /// tables cannot be changed.
    ///
    /// # Errors
    /// [`QueryError::Query`] if it cannot be answered, or the error with which the observer ends it.
    pub fn run(&self, sql: &str, observer: &mut dyn RowObserver) -> Result<(), QueryError> {
        self.runtime.block_on(async {
            let options = SQLOptions::new().with_allow_ddl(false).with_allow_statements(false);
            let question = self.context.sql_with_options(sql, options).await.map_err(QueryError::query)?;
            #[cfg(feature = "cluster")]
            if let Some(cluster) = &self.cluster {
                return cluster.answer(&self.context, question, observer).await;
            }
            let plan = question.create_physical_plan().await.map_err(QueryError::query)?;
            observer.begin(&plan.schema())?;
            answer(&self.context, &plan, observer, || (samples_read(plan.as_ref()), self.samples)).await
        })
    }
}

impl std::fmt::Debug for SqlSession {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SqlSession({} samples)", self.samples)
    }
}

/// Rows that the leaves of a plan have produced so far.
fn samples_read(plan: &dyn ExecutionPlan) -> u64 {
    let children = plan.children();
    if children.is_empty() {
        return plan.metrics().and_then(|metrics| metrics.output_rows()).unwrap_or(0) as u64;
    }
    children.into_iter().map(|child| samples_read(child.as_ref())).sum()
}
