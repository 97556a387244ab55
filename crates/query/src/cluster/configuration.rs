//! Configuration shared by all processes of a cluster: settings, chess functions and the lookup of stores.

use std::{path::Path, sync::Arc};

use ballista_core::{
    extension::{
        SessionConfigExt as _, ballista_aggregate_functions, ballista_scalar_functions,
        ballista_window_functions,
    },
    optimizer::ballista_default_optimizer_rules,
};
use datafusion::{
    error::Result,
    execution::{
        SessionState, SessionStateBuilder,
        runtime_env::{RuntimeEnv, RuntimeEnvBuilder},
    },
    prelude::SessionConfig,
};

use super::stores::NamedStores;
use crate::{FUNCTIONS, resources::without_caches};

/// Default settings of a query.
pub(super) fn settings() -> SessionConfig {
    SessionConfig::new_with_ballista()
        // Ballista divides rows between tasks itself.
        .with_round_robin_repartition(false)
        // Its planner that plans again after each stage (55.0) hangs when an executor is lost in the middle of a query.
        .with_ballista_adaptive_query_planner(false)
}

/// A session of a process that finds stores by the addresses of a plan.
pub(super) fn state(settings: SessionConfig) -> Result<SessionState> {
    let chess = FUNCTIONS.iter().map(|function| Arc::new(function.to_udf()));
    Ok(SessionStateBuilder::new()
        .with_default_features()
        .with_config(settings)
        .with_runtime_env(environment(None)?)
        .with_optimizer_rules(ballista_default_optimizer_rules())
        .with_scalar_functions(ballista_scalar_functions().into_iter().chain(chess).collect())
        .with_aggregate_functions(ballista_aggregate_functions())
        .with_window_functions(ballista_window_functions())
        .build())
}

/// Runtime environment of a process; data that exceed the memory spill to `folder`.
pub(super) fn environment(folder: Option<&Path>) -> Result<Arc<RuntimeEnv>> {
    let stores = Arc::new(NamedStores::default());
    let environment = without_caches(RuntimeEnvBuilder::new()).with_object_store_registry(stores);
    match folder {
        Some(folder) => environment.with_temp_file_path(folder).build_arc(),
        None => environment.build_arc(),
    }
}
