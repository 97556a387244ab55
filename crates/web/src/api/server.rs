//! The server about itself.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;

/// What the server is and does.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerView {
    /// Version of the program.
    version: String,
    /// Pages with a live connection.
    pages: usize,
}

/// The server's version and load
#[utoipa::path(get, path = "/server", responses((status = 200, body = ServerView)))]
pub(crate) async fn show(State(app): State<App>) -> Json<ServerView> {
    Json(ServerView { version: app.version().to_owned(), pages: app.open_sockets() })
}
