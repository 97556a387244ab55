//! Analyses that people keep.

use axum::extract::{Path, State};

use super::{Answer, body::Body};
use crate::{
    analyses::{AnalysisDraft, AnalysisList, AnalysisSummary, KeptAnalysis},
    app::App,
    error::Refusal,
    limits::LONGEST_ANALYSIS,
};

/// The analyses made on the page, the last changed first, and the problems with their files
#[utoipa::path(
    get, path = "/analyses", responses((status = 200, body = AnalysisList), (status = 500, body = Refusal))
)]
pub(crate) async fn list(State(app): State<App>) -> Answer<AnalysisList> {
    app.answer(|app| app.kept.list()).await
}

/// An analysis; `null` if there is none with this id
#[utoipa::path(
    get, path = "/analyses/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Option<KeptAnalysis>), (status = 500, body = Refusal))
)]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Answer<Option<KeptAnalysis>> {
    app.answer(move |app| app.kept.find(&id)).await
}

/// Saves an analysis under an id that the client chooses; refused if another client has changed it since the given revision
#[utoipa::path(
    post, path = "/analyses/{id}", params(("id" = String, Path)), request_body = AnalysisDraft,
    responses(
        (status = 200, body = AnalysisSummary), (status = 409, body = Refusal), (status = 413, body = Refusal),
        (status = 422, body = Refusal), (status = 500, body = Refusal)
    )
)]
pub(crate) async fn save(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(draft): Body<AnalysisDraft, LONGEST_ANALYSIS>,
) -> Answer<AnalysisSummary> {
    app.answer(move |app| app.kept.save(&id, draft)).await
}

/// Deletes an analysis and returns the others
#[utoipa::path(
    post, path = "/analyses/{id}/delete", params(("id" = String, Path)),
    responses((status = 200, body = AnalysisList), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn delete(State(app): State<App>, Path(id): Path<String>) -> Answer<AnalysisList> {
    app.answer(move |app| {
        app.kept.delete(&id)?;
        app.kept.list()
    })
    .await
}
