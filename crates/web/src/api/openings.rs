//! Opening tables.

use std::{io::Write as _, pin::Pin};

use axum::{
    Json,
    body::{Body as Bytes, HttpBody as _},
    extract::{Path, Query, Request, State, rejection::QueryRejection},
    http::StatusCode,
};
use chess::Game;
use serde::Deserialize;
use tempfile::NamedTempFile;
use tokio::time;
use utoipa::ToSchema;

use super::{Answer, body::Body};
use crate::{
    app::App,
    error::{ApiError, Refusal},
    limits::LARGEST_OPENINGS_FILE,
    openings::{OpeningMove, OpeningsError, OpeningsView},
};

impl From<OpeningsError> for ApiError {
    fn from(error: OpeningsError) -> Self {
        match error {
            OpeningsError::Unknown(message) => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            OpeningsError::Failed(message) => Self::failed(message),
        }
    }
}

/// Source of a new opening table.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOpenings {
    /// The name of a source.
    source: String,
}

/// A position.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    fen: String,
}

/// Opening tables, those that are being made, and what more could be read; topic `openings` tells when one changes
#[utoipa::path(
    get, path = "/openings", responses((status = 200, body = OpeningsView), (status = 500, body = Refusal))
)]
pub(crate) async fn list(State(app): State<App>) -> Answer<OpeningsView> {
    app.answer(move |app| Ok(app.openings().view()?)).await
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
        app.openings().make(&source)?;
        Ok((StatusCode::ACCEPTED, Json(app.openings().view()?)))
    })
    .await
}

/// Sends a file of games or a book, whose table is then made
#[utoipa::path(
    post, path = "/openings/files/{name}", params(("name" = String, Path)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 202, body = OpeningsView), (status = 408, body = Refusal), (status = 413, body = Refusal),
        (status = 500, body = Refusal)
    )
)]
pub(crate) async fn send(
    State(app): State<App>,
    Path(name): Path<String>,
    request: Request,
) -> Result<(StatusCode, Json<OpeningsView>), ApiError> {
    let file = app.blocking(move |app| Ok(output::aside(&app.openings().waiting_room()?))).await?;
    let file = file.map_err(|error| ApiError::failed(format!("no file for what is sent: {error}")))?;
    let file = receive(&app, request.into_body(), file).await?;
    app.blocking(move |app| {
        app.openings().make_of_file(&name, file)?;
        Ok((StatusCode::ACCEPTED, Json(app.openings().view()?)))
    })
    .await
}

/// Writes a body into a file, piece by piece, because it may be larger than memory. Each piece has as much time as a whole
/// request.
async fn receive(app: &App, mut body: Bytes, mut file: NamedTempFile) -> Result<NamedTempFile, ApiError> {
    let mut received = 0;
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let Ok(frame) = time::timeout(app.slowest_request(), frame).await else {
            return Err(ApiError::new(
                StatusCode::REQUEST_TIMEOUT,
                "slow_request",
                "the upload stopped before the end of the file",
            ));
        };
        let Some(frame) = frame else { return Ok(file) };
        let frame = frame.map_err(|error| ApiError::invalid("unreadable_body", error.to_string()))?;
        let Ok(bytes) = frame.into_data() else { continue };
        received += bytes.len() as u64;
        if received > LARGEST_OPENINGS_FILE {
            let message = format!("more than {LARGEST_OPENINGS_FILE} bytes");
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
        }
        file = app
            .blocking(move |_| match file.write_all(&bytes) {
                Ok(()) => Ok(file),
                Err(error) => Err(ApiError::failed(format!("the file cannot be kept: {error}"))),
            })
            .await?;
    }
}

/// Ends the making of a table, or forgets why it failed
#[utoipa::path(
    post, path = "/openings/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = OpeningsView), (status = 500, body = Refusal))
)]
pub(crate) async fn stop(State(app): State<App>, Path(id): Path<String>) -> Answer<OpeningsView> {
    app.answer(move |app| {
        app.openings().stop(&id);
        Ok(app.openings().view()?)
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
        app.openings().delete(&id)?;
        Ok(app.openings().view()?)
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
    query: Result<Query<Asked>, QueryRejection>,
) -> Answer<Vec<OpeningMove>> {
    let Query(Asked { fen }) = query?;
    let game =
        Game::from_any_fen(&fen).map_err(|error| ApiError::invalid("invalid_fen", error.to_string()))?;
    app.answer(move |app| Ok(app.openings().moves(&id, game.position())?)).await
}
