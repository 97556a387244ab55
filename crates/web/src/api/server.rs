//! The server about itself.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::Answer;
use crate::{
    app::App,
    error::{ApiError, Refusal},
    jobs::JobView,
    page,
    runs::{self, RunStatus},
};

/// State of the server; also the topic `server`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerView {
    /// Version of the program.
    version: String,
    /// Build of the page: a page loaded from another build is out of date.
    build: String,
    /// Pages with a live connection.
    pages: usize,
    /// Running jobs.
    jobs: Vec<JobView>,
    /// Training runs in progress.
    training: Vec<TrainingView>,
    /// Reason why training runs cannot be listed, if they cannot.
    problem: Option<String>,
}

/// A training run in progress.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrainingView {
    name: String,
    /// Steps taken.
    step: u64,
    /// Steps of the whole run.
    steps: Option<u64>,
}

impl ServerView {
    /// The present state. Reads the folder of runs.
    pub(crate) fn new(app: &App) -> Self {
        let (found, problem) = match runs::list(&app.config.runs) {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), Some(error.refusal.message)),
        };
        let training = found.into_iter().filter(|run| run.status == RunStatus::Running);
        Self {
            version: app.config.version.clone(),
            build: page::build(),
            pages: app.open_sockets(),
            jobs: app.jobs.list(),
            training: training
                .map(|run| TrainingView { name: run.name, step: run.step, steps: run.steps })
                .collect(),
            problem,
        }
    }
}

/// The server's version and its running jobs
#[utoipa::path(get, path = "/server", responses((status = 200, body = ServerView)))]
pub(crate) async fn show(State(app): State<App>) -> Answer<ServerView> {
    app.answer(move |app| Ok(ServerView::new(app))).await
}

/// Ends a search or a review and keeps what it has found
#[utoipa::path(
    post, path = "/jobs/{id}/stop", params(("id" = u64, Path)),
    responses((status = 200, body = [JobView]), (status = 404, body = Refusal))
)]
pub(crate) async fn stop_job(State(app): State<App>, Path(id): Path<String>) -> Answer<Vec<JobView>> {
    let number = id.parse().ok().filter(|&number| app.jobs.stop(number));
    number.ok_or_else(|| ApiError::missing("job that can be stopped", &id))?;
    Ok(Json(app.jobs.list()))
}
