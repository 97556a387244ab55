//! Bodies of requests: JSON, or a refusal with the reason.

use std::time::Duration;

use axum::{
    Json,
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, Request, rejection::JsonRejection},
    http::{StatusCode, header},
};
use serde::de::DeserializeOwned;
use tokio::time;

use crate::{app::App, error::ApiError, limits::LONGEST_BODY};

/// A body in JSON of at most `LONGEST` bytes.
pub(crate) struct Body<T, const LONGEST: usize = LONGEST_BODY>(pub(crate) T);

impl<T: DeserializeOwned, const LONGEST: usize> FromRequest<App> for Body<T, LONGEST> {
    type Rejection = ApiError;

    async fn from_request(mut request: Request, app: &App) -> Result<Self, ApiError> {
        DefaultBodyLimit::max(LONGEST).apply(&mut request);
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(is_json) {
            let found =
                kind.map_or_else(|| "no content type".into(), |kind| format!("the content type {kind:?}"));
            let message = format!("found {found}, expected application/json");
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message));
        }
        let bytes = read(request, app, app.config.slowest_request).await?;
        match Json::<T>::from_bytes(&bytes) {
            // A list of values in the order of the fields would pass as an object.
            Ok(_) if bytes.trim_ascii_start().first() != Some(&b'{') => {
                Err(ApiError::invalid("invalid_request", "found a list, expected an object"))
            }
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(refusal(&rejection)),
        }
    }
}

/// The bytes of a body, with a time limit: a body that never ends would hold its connection for ever.
pub(super) async fn read(request: Request, app: &App, longest: Duration) -> Result<Bytes, ApiError> {
    let Ok(read) = time::timeout(longest, Bytes::from_request(request, app)).await else {
        let message = format!("the body did not arrive within {} s", longest.as_secs_f32());
        return Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "slow_request", message));
    };
    read.map_err(|rejection| {
        let large = rejection.status() == StatusCode::PAYLOAD_TOO_LARGE;
        let code = if large { "too_large" } else { "unreadable_body" };
        ApiError::new(rejection.status(), code, rejection.body_text())
    })
}

/// True if a content type is JSON; its parameters are ignored.
fn is_json(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn refusal(rejection: &JsonRejection) -> ApiError {
    let code = match rejection {
        JsonRejection::JsonDataError(_) => "invalid_request",
        _ => "invalid_json",
    };
    ApiError::new(rejection.status(), code, rejection.body_text())
}
