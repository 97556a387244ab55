//! Threads and memory of queries.

use std::num::NonZeroUsize;

use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use tokio::runtime::Runtime;

use crate::QueryError;

/// Threads and memory of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Threads; by default one per core. With one thread, the order of rows is the same in every run, and
    /// unchanged rows of a table come in file order.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of memory for groups, sorts and joins. Groups and sorts that need more use temporary files.
    pub memory_bytes: usize,
}

impl Resources {
    /// Default of [`Resources::memory_bytes`].
    pub const MEMORY_BYTES: usize = 400 << 20;
}

impl Default for Resources {
    fn default() -> Self {
        Self { threads: None, memory_bytes: Self::MEMORY_BYTES }
    }
}

/// DataFusion and Ballista walk plans recursively: the plan of `deduplicated` overflows tokio's 2 MiB stacks,
/// which aborts a scheduler.
const STACK_BYTES: usize = 32 << 20;

/// A runtime with this number of threads, or one for each core.
pub(crate) fn runtime(threads: Option<NonZeroUsize>) -> Result<Runtime, QueryError> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.thread_stack_size(STACK_BYTES);
    if let Some(threads) = threads {
        runtime.worker_threads(threads.get());
    }
    runtime.enable_all().build().map_err(|error| QueryError::Engine(error.to_string()))
}

/// The caches distinguish files only by path, size and time, and files of all stores have the same paths.
pub(crate) fn without_caches(environment: RuntimeEnvBuilder) -> RuntimeEnvBuilder {
    environment.with_metadata_cache_limit(0).with_file_statistics_cache_limit(0)
}
