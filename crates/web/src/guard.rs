//! Checks of `Host` and `Origin`, and the security headers of every response.
//!
//! A server on loopback is reachable from every web site that the same browser has open. Two checks keep them out: the
//! `Host` must be ours (a foreign name that was made to resolve to this machine is not), and every request that carries
//! an `Origin` must come from our own page.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{app::App, error::ApiError, page};

const HEADERS: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Longest address that is accepted; searches are described in messages, not in addresses.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// Refuses requests that do not come from our own page, and adds the headers to every answer.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let verdict = judge(request.uri(), request.headers(), app.address());
    let mut response = match verdict {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_SECURITY_POLICY, page::content_security_policy());
    for (name, value) in HEADERS {
        fields.insert(name, HeaderValue::from_static(value));
    }
    if !fields.contains_key(header::CACHE_CONTROL) {
        fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn judge(uri: &Uri, headers: &HeaderMap, listening: SocketAddr) -> Result<(), ApiError> {
    let forbidden = |code, message: String| Err(ApiError::new(StatusCode::FORBIDDEN, code, message));
    if uri.to_string().len() > LONGEST_ADDRESS {
        return Err(ApiError::new(
            StatusCode::URI_TOO_LONG,
            "address_too_long",
            format!("the address is longer than {LONGEST_ADDRESS} bytes"),
        ));
    }
    for (name, code) in [(header::HOST, "several_hosts"), (header::ORIGIN, "several_origins")] {
        if headers.get_all(&name).iter().count() > 1 {
            let message = format!("found several {name} headers, expected one");
            return Err(ApiError::new(StatusCode::BAD_REQUEST, code, message));
        }
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_our_host(host, listening) {
        return forbidden(
            "foreign_host",
            format!("the request is for the host {host:?}, expected this server's own address"),
        );
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or("unreadable");
        if origin.strip_prefix("http://") != Some(host) {
            return forbidden(
                "foreign_origin",
                format!("the request comes from {origin:?}, expected the page of http://{host}"),
            );
        }
    }
    Ok(())
}

/// Host names that nobody else can make resolve to this machine: `localhost`, and numeric addresses that the server
/// listens on (any address if it listens on all).
fn is_our_host(host: &str, listening: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
        _ => (host, Some(80)),
    };
    if port != Some(listening.port()) {
        return false;
    }
    if name == "localhost" {
        return true;
    }
    let Ok(address) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() else {
        return false;
    };
    address == listening.ip() || listening.ip().is_unspecified() || address.is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_addresses_are_our_host() {
        let local: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"] {
            assert!(is_our_host(host, local), "{host}");
        }
        for host in [
            "",
            "evil.example:8080",
            "127.0.0.1",
            "127.0.0.1:81",
            "10.0.0.1:8080",
            "127.0.0.1.nip.io:8080",
            "localhost:x",
        ] {
            assert!(!is_our_host(host, local), "{host}");
        }
        let everywhere: SocketAddr = "0.0.0.0:8080".parse().unwrap();
        assert!(is_our_host("192.168.1.7:8080", everywhere));
        assert!(!is_our_host("rebound.example:8080", everywhere));
    }

    #[test]
    fn a_foreign_origin_is_refused_and_ours_is_not() {
        let listening: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let verdict = |origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:8080"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            judge(&Uri::from_static("/api/v1/games"), &headers, listening).map_err(|error| error.refusal.code)
        };
        assert_eq!(verdict(None), Ok(()));
        assert_eq!(verdict(Some("http://127.0.0.1:8080")), Ok(()));
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8080",
            "http://localhost:8080",
            "http://127.0.0.1:80801",
        ] {
            assert_eq!(verdict(Some(origin)), Err("foreign_origin"), "{origin}");
        }
    }

    /// Defect N18: of two origins only the first was checked.
    #[test]
    fn a_request_has_one_origin() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:8080"));
        for origin in ["http://127.0.0.1:8080", "http://evil.example"] {
            headers.append(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let listening = "127.0.0.1:8080".parse().unwrap();
        let verdict = judge(&Uri::from_static("/api/v1/games"), &headers, listening);
        assert_eq!(verdict.map_err(|error| error.refusal.code), Err("several_origins"));
    }
}
