//! Training runs and results.

use axum::{
    extract::{Path, Query, State, rejection::QueryRejection},
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Answer, body::Body};
use crate::{
    app::App,
    error::{ApiError, Refusal},
    runs::{self, Curves, LatestGame, ProbeMoment, ResultSummary, RunDetail, RunSummary},
};

/// The place from which a log is read.
#[derive(Debug, Deserialize)]
pub(crate) struct CurvesQuery {
    #[serde(default)]
    from: u64,
}

/// All training runs, latest first; the topic `runs` reports changes
#[utoipa::path(
    get, path = "/runs", responses((status = 200, body = [RunSummary]), (status = 500, body = Refusal))
)]
pub(crate) async fn list(State(app): State<App>) -> Answer<Vec<RunSummary>> {
    app.answer(move |app| runs::list(&app.config.runs)).await
}

/// A training run with its recipe and outcome
#[utoipa::path(
    get, path = "/runs/{name}", params(("name" = String, Path)),
    responses((status = 200, body = RunDetail), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn show(State(app): State<App>, Path(name): Path<String>) -> Answer<RunDetail> {
    app.answer(move |app| runs::find(&app.config.runs, &name)).await
}

/// The curves of a run, from a byte of its log on
#[utoipa::path(
    get, path = "/runs/{name}/curves",
    params(("name" = String, Path), ("from" = Option<u64>, Query, description = "`next` of the previous response")),
    responses((status = 200, body = Curves), (status = 404, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn curves(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Result<Query<CurvesQuery>, QueryRejection>,
) -> Answer<Curves> {
    let Query(CurvesQuery { from }) = query?;
    app.answer(move |app| Curves::read(&app.config.runs, &name, from)).await
}

/// Judgements of a few positions by the network of a run at each validation
#[utoipa::path(
    get, path = "/runs/{name}/probes", params(("name" = String, Path)),
    responses((status = 200, body = [ProbeMoment]), (status = 404, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn probes(State(app): State<App>, Path(name): Path<String>) -> Answer<Vec<ProbeMoment>> {
    app.answer(move |app| runs::probes(&app.config.runs, &name)).await
}

/// The latest game that a self-play run saved
#[utoipa::path(
    get, path = "/runs/{name}/game", params(("name" = String, Path)),
    responses((status = 200, body = LatestGame), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn game(State(app): State<App>, Path(name): Path<String>) -> Answer<LatestGame> {
    app.answer(move |app| runs::latest_game(&app.config.runs, &name)).await
}

/// Notes that people write about a run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunNotes {
    /// The text; an empty one deletes the notes.
    text: String,
}

/// Replaces the notes of a run
#[utoipa::path(
    post, path = "/runs/{name}/notes", params(("name" = String, Path)), request_body = RunNotes,
    responses((status = 200, body = RunDetail), (status = 404, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn write_notes(
    State(app): State<App>,
    Path(name): Path<String>,
    Body(RunNotes { text }): Body<RunNotes>,
) -> Answer<RunDetail> {
    app.answer(move |app| {
        runs::write_notes(&app.config.runs, &name, &text)?;
        runs::find(&app.config.runs, &name)
    })
    .await
}

/// Results of matches, ladders and suites, and reports of several, newest first; the topic `results` reports changes
#[utoipa::path(
    get, path = "/results", responses((status = 200, body = [ResultSummary]), (status = 500, body = Refusal))
)]
pub(crate) async fn results(State(app): State<App>) -> Answer<Vec<ResultSummary>> {
    app.answer(move |app| Ok(runs::results(&app.config.results)?)).await
}

/// The games of a match or ladder
#[utoipa::path(
    get, path = "/results/{id}/pgn", params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "application/x-chess-pgn"), (status = 404, body = Refusal))
)]
pub(crate) async fn pgn(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let text = app.blocking(move |app| runs::pgn(&app.config.results, &id)).await?;
    Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8")], text).into_response())
}
