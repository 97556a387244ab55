//! The available networks.

use std::fs;

use axum::extract::{Path, Query, Request, State, rejection::QueryRejection};
use serde::Deserialize;

use super::{
    Answer,
    upload::{Upload, file_in, receive},
};
use crate::{
    app::App,
    engine::{Level, NetworkDetail, NetworkSummary},
    error::{ApiError, Refusal},
    limits::LARGEST_NETWORK_FILE,
};

/// Query of an import.
#[derive(Debug, Deserialize)]
pub(crate) struct ImportRequest {
    file: String,
    /// True to keep the network, false to only describe it.
    #[serde(default)]
    keep: bool,
}

/// Describes the network in the body, and saves it if `keep` is set
#[utoipa::path(
    post, path = "/networks",
    params(
        ("file" = String, Query, description = "The file's name, such as maia-1500.pb.gz"),
        ("keep" = Option<bool>, Query, description = "Whether to save it; otherwise it is only described")
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 200, body = NetworkSummary), (status = 408, body = Refusal), (status = 413, body = Refusal),
        (status = 422, body = Refusal), (status = 500, body = Refusal), (status = 503, body = Refusal)
    )
)]
pub(crate) async fn import(
    State(app): State<App>,
    query: Result<Query<ImportRequest>, QueryRejection>,
    body: Request,
) -> Answer<NetworkSummary> {
    let Query(request) = query?;
    let upload = receive(&app, body, LARGEST_NETWORK_FILE, |app| file_in(&app.config.games)).await?;
    // Acquired only now, so that a stalled upload does not block other imports: one network at a time is in memory.
    let permit = app.import_permit().await;
    app.answer(move |app| {
        // Both are held until the network is checked, even if its client leaves before.
        let (Upload { file: sent, share: _share }, _permit) = (upload, permit);
        let ImportRequest { file, keep } = request;
        let bytes = fs::read(sent.path());
        let bytes =
            bytes.map_err(|error| ApiError::failed(format!("what was sent cannot be read: {error}")))?;
        let known = if keep { app.engines.keep(&file, &bytes) } else { app.engines.recognise(&file, &bytes) };
        Ok(known?)
    })
    .await
}

/// All available networks, the default first
#[utoipa::path(get, path = "/networks", responses((status = 200, body = [NetworkSummary])))]
pub(crate) async fn list(State(app): State<App>) -> Answer<Vec<NetworkSummary>> {
    app.answer(move |app| Ok(app.engines.networks())).await
}

/// Everything known about a network
#[utoipa::path(
    get, path = "/networks/{id}",
    params(("id" = String, Path, description = "The network's id")),
    responses((status = 200, body = NetworkDetail), (status = 404, body = Refusal))
)]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Answer<NetworkDetail> {
    app.answer(move |app| Ok(app.engines.network(&id)?)).await
}

/// The named levels to play against, weakest first
#[utoipa::path(get, path = "/levels", responses((status = 200, body = [Level])))]
pub(crate) async fn levels(State(app): State<App>) -> Answer<Vec<Level>> {
    app.answer(move |app| Ok(app.engines.levels())).await
}
