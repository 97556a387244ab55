//! Routes: the handler of each address.

use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Method, StatusCode, Uri},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{
    api, app::App, compress, error::ApiError, first_paint::FirstBoard, guard, limits::LONGEST_BODY, live,
    page,
};

/// The addresses of the page's screens. The part after them is resolved by the screen.
const SCREENS: &[&str] = &["play", "analyse", "networks", "runs", "results"];

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .nest("/api/v1", api::router().route("/live", get(live::connect)).fallback(unknown_request))
        .fallback(page_file)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(middleware::from_fn(compress::compress))
        .layer(middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}

async fn unknown_request(method: Method, uri: Uri) -> ApiError {
    ApiError::missing("request", &format!("{method} {}", uri.path()))
}

async fn page_file(State(app): State<App>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "expected GET").into_response();
    }
    let path = uri.path();
    if let Some(file) = page::file(path, &headers) {
        return file;
    }
    let mut parts = path.trim_matches('/').split('/');
    let screen = parts.next().unwrap_or_default();
    let known = screen.is_empty() || (SCREENS.contains(&screen) && parts.count() <= 2);
    let board = if known { FirstBoard::of_address(&uri, &app).await } else { None };
    let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    page::document(&headers, status, screen, board.as_ref())
}
