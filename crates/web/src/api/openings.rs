//! Opening tables.

use axum::{
    Json,
    extract::{Path, Query, Request, State, rejection::QueryRejection},
    http::StatusCode,
};
use chess::Game;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    Answer,
    body::Body,
    upload::{Upload, file_in, receive},
};
use crate::{
    app::App,
    error::{ApiError, Refusal},
    limits::LARGEST_OPENINGS_FILE,
    openings::{OpeningMove, OpeningsView},
};

/// Source of a new opening table.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOpenings {
    /// The name of a source.
    source: String,
}

/// A position.
#[derive(Debug, Deserialize)]
pub(crate) struct MovesQuery {
    fen: String,
}

/// Opening tables, those that are being made, and what more could be read; topic `openings` tells when one changes
#[utoipa::path(
    get, path = "/openings", responses((status = 200, body = OpeningsView), (status = 500, body = Refusal))
)]
pub(crate) async fn list(State(app): State<App>) -> Answer<OpeningsView> {
    app.answer(move |app| Ok(app.openings.view()?)).await
}

/// Begins to make the table of a source
#[utoipa::path(
    post, path = "/openings", request_body = NewOpenings,
    responses((status = 202, body = OpeningsView), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn make(
    State(app): State<App>,
    Body(NewOpenings { source }): Body<NewOpenings>,
) -> Result<(StatusCode, Json<OpeningsView>), ApiError> {
    app.blocking(move |app| {
        app.openings.shelf.make(&source)?;
        Ok((StatusCode::ACCEPTED, Json(app.openings.view()?)))
    })
    .await
}

/// Sends a file of games or a book, whose table is then made
#[utoipa::path(
    post, path = "/openings/files/{name}", params(("name" = String, Path)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 202, body = OpeningsView), (status = 408, body = Refusal), (status = 413, body = Refusal),
        (status = 500, body = Refusal), (status = 503, body = Refusal)
    )
)]
pub(crate) async fn send(
    State(app): State<App>,
    Path(name): Path<String>,
    request: Request,
) -> Result<(StatusCode, Json<OpeningsView>), ApiError> {
    let upload =
        receive(&app, request, LARGEST_OPENINGS_FILE, |app| file_in(app.openings.waiting_room()?)).await?;
    app.blocking(move |app| {
        let Upload { file, share: _share } = upload;
        app.openings.shelf.make_of_file(&name, file)?;
        Ok((StatusCode::ACCEPTED, Json(app.openings.view()?)))
    })
    .await
}

/// Ends the making of a table, or forgets why it failed
#[utoipa::path(
    post, path = "/openings/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = OpeningsView), (status = 500, body = Refusal))
)]
pub(crate) async fn stop(State(app): State<App>, Path(id): Path<String>) -> Answer<OpeningsView> {
    app.answer(move |app| {
        app.openings.shelf.stop(&id);
        Ok(app.openings.view()?)
    })
    .await
}

/// Deletes a table; its source stays
#[utoipa::path(
    post, path = "/openings/{id}/delete", params(("id" = String, Path)),
    responses((status = 200, body = OpeningsView), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn delete(State(app): State<App>, Path(id): Path<String>) -> Answer<OpeningsView> {
    app.answer(move |app| {
        app.openings.shelf.delete(&id)?;
        Ok(app.openings.view()?)
    })
    .await
}

/// Moves played in a position, most games first
#[utoipa::path(
    get, path = "/openings/{id}/moves", params(("id" = String, Path), ("fen" = String, Query)),
    responses(
        (status = 200, body = [OpeningMove]), (status = 404, body = Refusal), (status = 422, body = Refusal),
        (status = 500, body = Refusal)
    )
)]
pub(crate) async fn moves(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<MovesQuery>, QueryRejection>,
) -> Answer<Vec<OpeningMove>> {
    let Query(MovesQuery { fen }) = query?;
    let game =
        Game::from_any_fen(&fen).map_err(|error| ApiError::invalid("invalid_fen", error.to_string()))?;
    app.answer(move |app| Ok(app.openings.moves(&id, game.position())?)).await
}
