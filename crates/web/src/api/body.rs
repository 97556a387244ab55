//! Bodies of requests: JSON, or a refusal that says what is wrong with it.

use axum::{
    Json,
    body::Bytes,
    extract::{FromRequest, Request, rejection::JsonRejection},
    http::{StatusCode, header},
};
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// A body in JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("application/json")) {
            let message = format!("found the content type {kind:?}, expected application/json");
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            let large = rejection.status() == StatusCode::PAYLOAD_TOO_LARGE;
            let code = if large { "too_large" } else { "unreadable_body" };
            ApiError::new(rejection.status(), code, rejection.body_text())
        })?;
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

fn refusal(rejection: &JsonRejection) -> ApiError {
    let code = match rejection {
        JsonRejection::JsonDataError(_) => "invalid_request",
        _ => "invalid_json",
    };
    ApiError::new(rejection.status(), code, rejection.body_text())
}
