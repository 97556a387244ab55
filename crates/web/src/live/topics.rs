//! The topics that can be heard of.

use tokio::sync::watch;

use super::frame::Frame;
use crate::{app::App, error::ApiError};

/// A topic's states from now on. May read the disk: not for a thread that must not wait.
pub(super) fn open(app: &App, topic: &str) -> Result<watch::Receiver<Frame>, ApiError> {
    if topic == "runs" {
        return Ok(app.watchers().watch_runs());
    }
    match topic.split_once('/') {
        Some(("game", id)) => Ok(app.games().find(id)?.watch()),
        Some(("review", id)) => app.reviews().watch(id),
        _ => Err(ApiError::missing("topic", topic)),
    }
}
