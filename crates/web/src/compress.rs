//! Compresses responses that are generated for each request: documents and the lists of the API. Files of the page are
//! compressed when it is built.

use std::{io::Write as _, ops::RangeInclusive};

use axum::{
    body::{Body, HttpBody as _, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};

use crate::error::ApiError;

/// Sizes that are compressed: smaller answers fit into one packet with their head, and compressing larger
/// ones would delay other requests.
const WORTH_IT: RangeInclusive<u64> = 1024..=1024 * 1024;
/// Content types that are worth compressing.
const TEXTS: [&str; 2] = ["text/html", "application/json"];

/// True if the client accepts gzip.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    codings.is_some_and(|codings| codings.split(',').any(|coding| coding.trim().starts_with("gzip")))
}

/// Compresses an answer if the client accepts it and its size is in [`WORTH_IT`].
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let wanted = takes_gzip(request.headers());
    let response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let fitting = body.size_hint().exact().is_some_and(|bytes| WORTH_IT.contains(&bytes));
    if !wanted || !fitting {
        return Response::from_parts(parts, body);
    }
    let compressed = match to_bytes(body, usize::MAX).await {
        Ok(bytes) => gzip(&bytes).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match compressed {
        Ok(bytes) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Response::from_parts(parts, Body::from(bytes))
        }
        Err(error) => ApiError::failed(format!("the answer cannot be compressed: {error}")).into_response(),
    }
}

fn is_text(headers: &HeaderMap) -> bool {
    let content = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    TEXTS.iter().any(|text| content.starts_with(text)) && !headers.contains_key(header::CONTENT_ENCODING)
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}
