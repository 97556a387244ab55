//! The topics that a page can subscribe to.

use serde::Serialize;
use tokio::sync::watch;

use crate::{
    api::ServerView,
    app::App,
    error::ApiError,
    frame::Frame,
    runs::{self, RunSummary},
};

/// A topic's states from now on. May read the disk: not for a thread that must not block.
pub(super) fn open(app: &App, topic: &str) -> Result<watch::Receiver<Frame>, ApiError> {
    match topic {
        "runs" => return Ok(watch_runs(app)),
        "results" => {
            let folder = app.config.results.clone();
            return Ok(app.watchers.watch("results", move || Ok(runs::stamps(&folder)?)));
        }
        "openings" => {
            let server = app.clone();
            return Ok(app.watchers.watch("openings", move || Ok(server.openings.view()?)));
        }
        "server" => {
            let server = app.clone();
            return Ok(app.watchers.watch("server", move || Ok(ServerView::new(&server))));
        }
        _ => {}
    }
    match topic.split_once('/') {
        Some(("game", id)) => Ok(app.games.find(id)?.watch()),
        Some(("review", id)) => app.reviews.watch(id),
        _ => Err(ApiError::missing("topic", topic)),
    }
}

/// The runs that changed; the page then requests the details it needs.
#[derive(Serialize)]
struct RunNews {
    runs: Vec<RunSummary>,
}

fn watch_runs(app: &App) -> watch::Receiver<Frame> {
    let folder = app.config.runs.clone();
    app.watchers.watch("runs", move || {
        // Passing seconds of silence are not news.
        let found = runs::list(&folder)?.into_iter();
        Ok(RunNews { runs: found.map(|run| RunSummary { silent_seconds: 0, ..run }).collect() })
    })
}
