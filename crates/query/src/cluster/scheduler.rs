//! The process that cuts queries into tasks.

use std::{collections::HashMap, net::SocketAddr, sync::Arc, time::Duration};

use ballista_core::config::TaskSchedulingPolicy;
use ballista_scheduler::{
    cluster::{BallistaCluster, ClusterStateEvent, memory::InMemoryClusterState},
    config::SchedulerConfig,
    scheduler_process::{create_scheduler, start_grpc_service_with_listener},
    scheduler_server::SchedulerServer,
};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use futures_util::StreamExt as _;
use tokio::net::TcpListener;

use super::{configuration, fault, jobs::Jobs};
use crate::{QueryError, resources::runtime};

/// The process that assigns tasks of queries to executors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduler {
    /// Address on which it answers executors and clients.
    pub listen: SocketAddr,
    /// Time that an executor may be silent before others repeat its tasks. A fully busy executor reports every five seconds.
    pub patience: Duration,
}

/// Events that a scheduler reports while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It accepts queries, at this address.
    Ready(SocketAddr),
    /// An executor at this address has joined with this number of threads.
    Joined(String, u32),
    /// The executor at this address has left or is silent.
    Left(String),
}

type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// Runs a scheduler until the process ends. Executors connect to it and to each other; it opens no
/// connections.
///
/// # Errors
/// [`QueryError::Cluster`] if it cannot listen or fails.
pub fn schedule(scheduler: Scheduler, mut report: impl FnMut(Event)) -> Result<(), QueryError> {
    let place = scheduler.listen;
    runtime(None)?.block_on(async {
        let listener = TcpListener::bind(place).await.map_err(|error| fault(place, error))?;
        let address = listener.local_addr().map_err(|error| fault(place, error))?;
        let settings = settings(address, scheduler.patience);
        let jobs = Arc::new(Jobs::new(&settings.scheduler_id));
        let cluster = BallistaCluster::new(Arc::new(InMemoryClusterState::default()), jobs);
        let server: Server =
            create_scheduler(cluster, Arc::new(settings)).await.map_err(|error| fault(place, error))?;
        let mut events = server.cluster_state_events().await.map_err(|error| fault(place, error))?;
        let mut service = Box::pin(start_grpc_service_with_listener(listener, server.clone()));
        report(Event::Ready(address));
        let mut executors = HashMap::new();
        loop {
            tokio::select! {
                ended = &mut service => return ended.map_err(|error| fault(place, error)),
                Some(event) = events.next() => match event {
                    ClusterStateEvent::RegisteredExecutor { executor_id } => {
                        let (address, threads) = describe(&server, &executor_id).await;
                        report(Event::Joined(address.clone(), threads));
                        executors.insert(executor_id, address);
                    }
                    ClusterStateEvent::RemovedExecutor { executor_id } => {
                        report(Event::Left(executors.remove(&executor_id).unwrap_or(executor_id)));
                    }
                },
            }
        }
    })
}

fn settings(address: SocketAddr, patience: Duration) -> SchedulerConfig {
    SchedulerConfig {
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: patience.as_secs(),
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: patience.as_secs(),
        override_config_producer: Some(Arc::new(configuration::settings)),
        ..SchedulerConfig::default()
    }
}

/// The address and the threads of an executor.
async fn describe(server: &Server, executor: &str) -> (String, u32) {
    match server.state.executor_manager.get_executor_metadata(executor).await {
        Ok(found) => (format!("{}:{}", found.host, found.port), found.specification.vcores),
        // It has left in the meantime.
        Err(_) => (executor.to_owned(), 0),
    }
}
