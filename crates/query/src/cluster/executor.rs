//! The process that runs tasks.

use std::{
    net::{SocketAddr, TcpListener},
    num::NonZeroUsize,
    path::PathBuf,
    sync::Arc,
};

use ballista_core::{config::TaskSchedulingPolicy, registry::BallistaFunctionRegistry};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::prelude::SessionConfig;
use tempfile::TempDir;

use super::{client, configuration, fault};
use crate::{QueryError, Resources, resources::runtime};

/// Settings of an executor: where it listens, and for which scheduler it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executor {
    /// Its scheduler, as `HOST:PORT`.
    pub scheduler: String,
    /// Address on which other executors fetch rows; port 0 takes any free one.
    pub listen: SocketAddr,
    /// The name under which others reach it; by default the address that the scheduler sees.
    pub host: Option<String>,
    /// Threads and memory of all its tasks together.
    pub resources: Resources,
    /// Folder for rows in transit; by default the folder for temporary files.
    pub folder: Option<PathBuf>,
}

/// Runs an executor until it is interrupted. `report` hears its address before it joins.
///
/// # Errors
/// [`QueryError::Cluster`] if there is no scheduler or the address cannot be bound; [`QueryError::Engine`] if the folder
/// cannot be written.
pub fn execute(executor: &Executor, report: impl FnOnce(SocketAddr)) -> Result<(), QueryError> {
    let (host, port) = client::parts(&executor.scheduler)?;
    client::find_scheduler(&executor.scheduler)?;
    // Ballista binds its address late and ends without an error if it is taken.
    let address = TcpListener::bind(executor.listen).and_then(|listener| listener.local_addr());
    let address = address.map_err(|error| fault(executor.listen, error))?;
    let parent = executor.folder.clone().unwrap_or_else(std::env::temp_dir);
    let folder = TempDir::with_prefix_in("executor-", parent);
    let folder = folder.map_err(|error| QueryError::Engine(error.to_string()))?;
    let state = configuration::state(configuration::settings()).map_err(QueryError::engine)?;
    let spill = folder.path().to_path_buf();
    let threads = executor.resources.threads.map_or(0, NonZeroUsize::get);
    let process = ExecutorProcessConfig {
        bind_host: address.ip().to_string(),
        external_host: executor.host.clone(),
        port: address.port(),
        // Executors poll for tasks, so nothing connects to this port.
        grpc_port: 0,
        scheduler_host: host.to_owned(),
        scheduler_port: port,
        vcores: threads,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(spill.display().to_string()),
        memory_pool_size: Some(executor.resources.memory_bytes as u64),
        override_function_registry: Some(Arc::new(BallistaFunctionRegistry::from(&state))),
        override_config_producer: Some(Arc::new(configuration::settings)),
        override_runtime_producer: Some(Arc::new(move |_: &SessionConfig| {
            configuration::environment(Some(&spill))
        })),
        ..ExecutorProcessConfig::default()
    };
    report(address);
    let ended = runtime(None)?.block_on(start_executor_process(Arc::new(process)));
    ended.map_err(|error| fault(&executor.scheduler, error))
}
