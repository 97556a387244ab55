//! Reviews of whole games.

use axum::{
    Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
};
use serde::Deserialize;

use super::{Answer, body::Body};
use crate::{
    app::App,
    error::{ApiError, Refusal},
    game::replayed,
    review::{ReviewRequest, ReviewView},
};

/// Starts a review; the topic `review/{id}` has its state
#[utoipa::path(
    post, path = "/reviews", request_body = ReviewRequest,
    responses((status = 201, body = ReviewView), (status = 409, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn start(
    State(app): State<App>,
    Body(request): Body<ReviewRequest>,
) -> Result<(StatusCode, Json<ReviewView>), ApiError> {
    app.blocking(move |app| Ok((StatusCode::CREATED, Json(app.reviews.start(&request)?)))).await
}

/// A game, for finding its review.
#[derive(Debug, Deserialize)]
pub(crate) struct ReviewQuery {
    fen: Option<String>,
    /// UCI, separated by commas.
    moves: String,
}

/// The review that covers most of a game, even if the game has continued since; `null` if there is none
#[utoipa::path(
    get, path = "/reviews",
    params(
        ("fen" = Option<String>, Query, description = "the position before the moves; the usual start if omitted"),
        ("moves" = String, Query, description = "the moves of the game, UCI, separated by commas")
    ),
    responses((status = 200, body = Option<ReviewView>), (status = 400, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn find(
    State(app): State<App>,
    query: Result<Query<ReviewQuery>, QueryRejection>,
) -> Answer<Option<ReviewView>> {
    let Query(ReviewQuery { fen, moves }) = query?;
    let start = replayed(fen.as_deref(), &[]).map_err(ApiError::invalid_game)?.fen();
    let moves: Vec<String> = moves.split(',').map(str::to_owned).collect();
    app.answer(move |app| Ok(app.reviews.of_game(&start, &moves))).await
}

/// A review so far
#[utoipa::path(
    get, path = "/reviews/{id}", params(("id" = String, Path)),
    responses((status = 200, body = ReviewView), (status = 404, body = Refusal))
)]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Answer<ReviewView> {
    app.answer(move |app| app.reviews.find(&id)).await
}

/// Ends a review and keeps what it has found
#[utoipa::path(
    post, path = "/reviews/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = ReviewView), (status = 404, body = Refusal))
)]
pub(crate) async fn stop(State(app): State<App>, Path(id): Path<String>) -> Answer<ReviewView> {
    app.answer(move |app| app.reviews.stop(&id)).await
}
