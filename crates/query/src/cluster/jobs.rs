//! The scheduler's memory of its jobs, which keeps wrong rows away from its clients.

use std::{collections::HashSet, sync::Arc};

use ballista_core::{
    JobId, JobStatusSubscriber,
    error::Result,
    serde::protobuf::{JobStatus, failed_task::FailedReason, task_status::Status},
};
use ballista_scheduler::{
    cluster::{JobState, JobStateEventStream, memory::InMemoryJobState},
    state::{
        execution_graph::ExecutionGraphBox,
        execution_stage::{ExecutionStage, TaskInfo},
    },
};
use datafusion::prelude::{SessionConfig, SessionContext};

use super::configuration;

/// Error of a job whose rows cannot be trusted; the client has to repeat the query.
pub(super) const LOST: &str = "an executor was lost with rows of the query";

/// Jobs in memory. A job that has lost rows with an executor fails here, even if Ballista repeats its tasks.
/// Our client subscribes to its jobs and receives their status only from here.
///
/// If an executor is lost, Ballista (55.0) repeats its tasks. That is right while the lost tasks belong to
/// stages that still run, except the last one. But if a running stage starts over because its input is lost,
/// the next stage keeps the rows that tasks on other executors sent in the first attempt and receives them
/// again in the second: rows count twice. The same holds for the last stage, whose finished partitions are
/// never removed from the result. Both leave traces in the graph of the job.
pub(super) struct Jobs(InMemoryJobState);

impl Jobs {
    pub(super) fn new(scheduler: &str) -> Self {
        let (session, settings) = (Arc::new(configuration::state), Arc::new(configuration::settings));
        Self(InMemoryJobState::new(scheduler, session, settings))
    }
}

/// True if a job has lost rows that Ballista may count twice when it repeats tasks.
fn has_lost_rows(graph: &ExecutionGraphBox) -> bool {
    graph.stages().values().any(|stage| {
        let is_last = stage.output_links().is_empty();
        let has_lost = stage.task_infos().is_some_and(|tasks| tasks.iter().any(is_lost));
        attempt(stage) > 0 || is_last && has_lost
    })
}

fn attempt(stage: &ExecutionStage) -> usize {
    match stage {
        ExecutionStage::UnResolved(stage) => stage.stage_attempt_num,
        ExecutionStage::Resolved(stage) => stage.stage_attempt_num,
        ExecutionStage::Running(stage) => stage.stage_attempt_num,
        ExecutionStage::Successful(stage) => stage.stage_attempt_num,
        ExecutionStage::Failed(stage) => stage.stage_attempt_num,
    }
}

fn is_lost(task: &TaskInfo) -> bool {
    let Status::Failed(failed) = &task.task_status else { return false };
    matches!(failed.failed_reason, Some(FailedReason::ResultLost(_)))
}

#[async_trait::async_trait]
impl JobState for Jobs {
    async fn submit_job(
        &self,
        job: JobId,
        graph: &ExecutionGraphBox,
        subscriber: Option<JobStatusSubscriber>,
    ) -> Result<()> {
        if let Some(subscriber) = &subscriber {
            // Without this, the client receives the job's id, and can cancel it, only after the first stage.
            // Fails if the client has disconnected.
            let _ = subscriber.try_send(graph.status().clone());
        }
        self.0.submit_job(job, graph, subscriber).await
    }

    async fn save_job(&self, job: &JobId, graph: &ExecutionGraphBox) -> Result<()> {
        if !has_lost_rows(graph) {
            return self.0.save_job(job, graph).await;
        }
        let mut failed = graph.cloned();
        failed.fail_job(LOST.to_owned());
        self.0.save_job(job, &failed).await
    }

    fn accept_job(&self, job: &JobId, name: &str, queued_at: u64) -> Result<()> {
        self.0.accept_job(job, name, queued_at)
    }

    fn pending_job_number(&self) -> usize {
        self.0.pending_job_number()
    }

    async fn get_jobs(&self) -> Result<HashSet<JobId>> {
        self.0.get_jobs().await
    }

    async fn get_all_jobs(&self) -> Result<HashSet<JobId>> {
        self.0.get_all_jobs().await
    }

    async fn get_job_status(&self, job: &JobId) -> Result<Option<JobStatus>> {
        self.0.get_job_status(job).await
    }

    async fn get_execution_graph(&self, job: &JobId) -> Result<Option<ExecutionGraphBox>> {
        self.0.get_execution_graph(job).await
    }

    async fn fail_unscheduled_job(&self, job: &JobId, reason: String) -> Result<()> {
        self.0.fail_unscheduled_job(job, reason).await
    }

    async fn remove_job(&self, job: &JobId) -> Result<()> {
        self.0.remove_job(job).await
    }

    async fn try_acquire_job(&self, job: &JobId) -> Result<Option<ExecutionGraphBox>> {
        self.0.try_acquire_job(job).await
    }

    async fn job_state_events(&self) -> Result<JobStateEventStream> {
        self.0.job_state_events().await
    }

    async fn create_or_update_session(
        &self,
        session: &str,
        settings: &SessionConfig,
    ) -> Result<Arc<SessionContext>> {
        self.0.create_or_update_session(session, settings).await
    }

    async fn remove_session(&self, session: &str) -> Result<()> {
        self.0.remove_session(session).await
    }

    fn produce_config(&self) -> SessionConfig {
        self.0.produce_config()
    }
}
