//! Client of a cluster: the process that runs queries on it.

use std::{fmt::Display, num::NonZeroUsize, sync::Arc, time::Duration};

use ballista_core::{
    execution_plans::DistributedQueryExec,
    extension::SessionStateExt as _,
    planner::scans_only_information_schema,
    serde::protobuf::{CancelJobParams, scheduler_grpc_client::SchedulerGrpcClient},
};
use datafusion::{
    common::{
        not_impl_err,
        tree_node::{Transformed, TreeNodeRecursion},
    },
    dataframe::DataFrame,
    error::Result,
    logical_expr::{EmptyRelation, LogicalPlan, LogicalPlanBuilder, col, lit},
    physical_plan::ExecutionPlan,
    physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner as _},
    prelude::SessionContext,
    scalar::ScalarValue,
};

use super::{answers::distributed, configuration, fault};
use crate::{FUNCTIONS, QueryError};

/// Timeout of the request that identifies a scheduler.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Client {
    scheduler: String,
}

impl Client {
    /// Finds the scheduler at `HOST:PORT`, which must have executors.
    pub(crate) fn connect(scheduler: &str) -> Result<Self, QueryError> {
        parts(scheduler)?;
        if find_scheduler(scheduler)? == 0 {
            let reason =
                "the scheduler has no executors; expected some started by `tabiya data cluster executor`";
            return Err(fault(scheduler, reason));
        }
        Ok(Self { scheduler: scheduler.to_owned() })
    }

    /// A session that runs queries on the cluster, in `parts` partitions.
    pub(crate) fn context(&self, parts: Option<NonZeroUsize>) -> Result<SessionContext> {
        let mut settings = configuration::settings();
        if let Some(parts) = parts {
            settings = settings.with_target_partitions(parts.get());
        }
        let state = configuration::state(settings)?.upgrade_for_ballista(url(&self.scheduler))?;
        let context = SessionContext::new_with_state(state);
        // The upgrade has replaced all functions with Ballista's own.
        for function in FUNCTIONS {
            context.register_udf(function.to_udf());
        }
        Ok(context)
    }

    /// The plan of a query: the part that reads stores is one node, which the cluster executes.
    pub(super) async fn plan(&self, question: DataFrame) -> Result<Arc<dyn ExecutionPlan>> {
        let (state, plan) = question.into_parts();
        let plan = state.optimize(&plan)?;
        if matches!(plan, LogicalPlan::Copy(_)) {
            return not_impl_err!(
                "COPY on a cluster, whose machines would each write files of their own; expected SELECT, or no cluster"
            );
        }
        if !reads_tables(&plan)? || scans_only_information_schema(&plan)? {
            return DefaultPhysicalPlanner::default().create_physical_plan(&plan, &state).await;
        }
        let plan = plan.transform_up_with_subqueries(keep_columns)?.data;
        state.query_planner().create_physical_plan(&plan, &state).await
    }

    /// Cancels the remaining tasks of a plan.
    pub(super) async fn cancel(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<(), QueryError> {
        let Some(job) = distributed(plan).and_then(DistributedQueryExec::job_id) else { return Ok(()) };
        let scheduler = SchedulerGrpcClient::connect(url(&self.scheduler)).await;
        let mut scheduler = scheduler.map_err(|error| fault(&self.scheduler, error))?;
        let canceled = scheduler.cancel_job(CancelJobParams { job_id: job.to_string() }).await;
        canceled.map(|_| ()).map_err(|error| fault(&self.scheduler, error.message()))
    }
}

/// True if a plan reads any table; those of the manifests are constants.
fn reads_tables(plan: &LogicalPlan) -> Result<bool> {
    let mut reads = false;
    plan.apply_with_subqueries(|node| {
        reads |= matches!(node, LogicalPlan::TableScan(_));
        Ok(if reads { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(reads)
}

/// Writes a table without rows as a row and a condition that drops it: the columns of the former do not travel.
fn keep_columns(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema }) = &plan else {
        return Ok(Transformed::no(plan));
    };
    if schema.fields().is_empty() {
        return Ok(Transformed::no(plan));
    }
    let nulls = schema.fields().iter().map(|field| Ok(lit(ScalarValue::try_from(field.data_type())?)));
    let columns = schema.iter().enumerate().map(|(index, (table, field))| {
        col(format!("column{}", index + 1)).alias_qualified(table.cloned(), field.name())
    });
    let nothing = LogicalPlanBuilder::values(vec![nulls.collect::<Result<_>>()?])?
        .filter(lit(false))?
        .project(columns.collect::<Vec<_>>())?;
    Ok(Transformed::yes(nothing.build()?))
}

pub(super) fn parts(address: &str) -> Result<(&str, u16), QueryError> {
    let parts = address.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    match parts {
        Some((host, port)) if !host.is_empty() && !host.contains('/') => Ok((host, port)),
        _ => Err(fault(address, "expected HOST:PORT of a scheduler")),
    }
}

fn url(scheduler: &str) -> String {
    format!("http://{scheduler}")
}

/// Number of executors of the scheduler at this address. Ballista's scheduler reports it on `/readyz`, with a status of 503 if
/// there are none, and names itself in each answer.
pub(super) fn find_scheduler(scheduler: &str) -> Result<usize, QueryError> {
    let request = ureq::get(format!("{}/readyz", url(scheduler))).config();
    // No web proxy: it cannot reach the schedulers.
    let request = request.timeout_global(Some(PATIENCE)).http_status_as_error(false).proxy(None).build();
    let mut answer = request.call().map_err(|error| no_scheduler(scheduler, error))?;
    let server = answer.headers().get("server").and_then(|name| name.to_str().ok()).unwrap_or_default();
    if !server.starts_with("ballista/") {
        return Err(no_scheduler(scheduler, format_args!("found the server {server:?}")));
    }
    let text = answer.body_mut().read_to_string().map_err(|error| no_scheduler(scheduler, error))?;
    let number = text.split_whitespace().find_map(|word| word.split('/').next()?.parse().ok());
    number.ok_or_else(|| no_scheduler(scheduler, format_args!("found the answer {:?}", text.trim())))
}

fn no_scheduler(address: &str, reason: impl Display) -> QueryError {
    let expected = "expected a scheduler started by `tabiya data cluster scheduler`";
    fault(address, format_args!("{reason}; {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        assert_eq!(parts("chess:50050").unwrap(), ("chess", 50050));
        assert_eq!(parts("[::1]:1").unwrap(), ("[::1]", 1));
        for wrong in ["", "chess", "chess:", ":50050", "chess:http", "chess:70000", "http://chess:1"] {
            let refused = parts(wrong).unwrap_err().to_string();
            assert!(refused.contains("HOST:PORT"), "{refused}");
        }
    }
}
