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

/// True if the client accepts gzip, by RFC 9110, section 12.5.3: by its name, or else by `*`, unless its weight is 0.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let codings: Vec<&str> = lines.flat_map(|line| line.split(',')).collect();
    weight(&codings, &["gzip", "x-gzip"])
        .or_else(|| weight(&codings, &["*"]))
        .is_some_and(|weight| weight > 0.0)
}

/// The weight of the first coding with one of these names, such as 0.5 in `gzip;q=0.5`; `None` if there is none. What is not a
/// number counts as 0: the plain answer is right for every client.
fn weight(codings: &[&str], names: &[&str]) -> Option<f32> {
    for coding in codings {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next()?;
        if !names.iter().any(|wanted| name.eq_ignore_ascii_case(wanted)) {
            continue;
        }
        let mut parameters = parts.filter_map(|part| part.split_once('='));
        let weight = parameters.find(|(key, _)| key.trim().eq_ignore_ascii_case("q"));
        return Some(weight.map_or(1.0, |(_, weight)| weight.trim().parse().unwrap_or(0.0)));
    }
    None
}

/// Compresses an answer if the client accepts it and its size is in [`WORTH_IT`].
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let wanted = takes_gzip(request.headers());
    let response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    // Also for an answer that stays plain: a cache in between must not give it to a client that would have got another one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let takes = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::ACCEPT_ENCODING, HeaderValue::from_str(line).unwrap());
            }
            takes_gzip(&headers)
        };
        for line in
            ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, GZIP;q=0.5", "x-gzip", "*", "identity, *;q=0.1"]
        {
            assert!(takes(&[line]), "{line}");
        }
        for line in [
            "",
            "identity",
            "br",
            "gzip;q=0",
            "gzip ; q=0.000, br",
            "*, gzip;q=0",
            "*;q=0",
            "gzip;q=much",
            "gzipped",
        ] {
            assert!(!takes(&[line]), "{line}");
        }
        assert!(takes(&["br", "gzip"]) && !takes(&["br", "gzip;q=0"]) && !takes(&[]));
    }
}
