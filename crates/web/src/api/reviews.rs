//! Reviews of whole games.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};

use super::body::Body;
use crate::{
    app::App,
    error::{ApiError, Refusal},
    review::{ReviewRequest, ReviewView},
};

/// Begins a review; topic `review/{id}` tells how it goes
#[utoipa::path(
    post, path = "/reviews", request_body = ReviewRequest,
    responses((status = 201, body = ReviewView), (status = 409, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn start(
    State(app): State<App>,
    Body(request): Body<ReviewRequest>,
) -> Result<(StatusCode, Json<ReviewView>), ApiError> {
    let reviews = app.clone();
    app.blocking(move || Ok((StatusCode::CREATED, Json(reviews.reviews().start(&request)?)))).await
}

/// A review so far
#[utoipa::path(
    get, path = "/reviews/{id}", params(("id" = String, Path)),
    responses((status = 200, body = ReviewView), (status = 404, body = Refusal))
)]
pub(crate) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<ReviewView>, ApiError> {
    app.reviews().find(&id).map(Json)
}

/// Ends a review; what it has found stays
#[utoipa::path(
    post, path = "/reviews/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = ReviewView), (status = 404, body = Refusal))
)]
pub(crate) async fn stop(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<ReviewView>, ApiError> {
    app.reviews().stop(&id).map(Json)
}
