//! The networks at hand.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
};

use crate::{
    app::App,
    engine::{Level, NetworkDetail, NetworkSummary},
    error::{ApiError, Refusal},
};

/// All networks at hand, the default first
#[utoipa::path(get, path = "/networks", responses((status = 200, body = [NetworkSummary])))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Vec<NetworkSummary>>, ApiError> {
    let engines = Arc::clone(app.engines());
    app.on_a_thread(move || Ok(Json(engines.networks()))).await
}

/// All about one network
#[utoipa::path(
    get, path = "/networks/{id}",
    params(("id" = String, Path, description = "The network's id")),
    responses((status = 200, body = NetworkDetail), (status = 404, body = Refusal))
)]
pub(crate) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<NetworkDetail>, ApiError> {
    let engines = Arc::clone(app.engines());
    app.on_a_thread(move || Ok(Json(engines.network(&id)?))).await
}

/// The settings to play against by name, weakest first
#[utoipa::path(get, path = "/levels", responses((status = 200, body = [Level])))]
pub(crate) async fn levels(State(app): State<App>) -> Result<Json<Vec<Level>>, ApiError> {
    let engines = Arc::clone(app.engines());
    app.on_a_thread(move || Ok(Json(engines.levels()))).await
}
