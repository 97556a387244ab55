//! Checks of `Host` and `Origin`, and the security headers of every response.
//!
//! A server on loopback is reachable from every web site that the same browser has open. Two checks keep them
//! out: the `Host` must be one of our own names (which stops DNS rebinding), and every request with an
//! `Origin` must come from our own page.

use std::net::SocketAddr;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{allowed_host::AllowedHost, app::App, error::ApiError, page};

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
    let verdict = judge(request.uri(), request.headers(), app.address, &app.config.allowed_hosts);
    // Refusals get the headers too: their text repeats parts of the request, which no browser may take for a document.
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

fn judge(
    uri: &Uri,
    headers: &HeaderMap,
    listening: SocketAddr,
    allowed: &[AllowedHost],
) -> Result<(), ApiError> {
    if uri.to_string().len() > LONGEST_ADDRESS {
        return Err(ApiError::new(
            StatusCode::URI_TOO_LONG,
            "address_too_long",
            format!("the address is longer than {LONGEST_ADDRESS} bytes"),
        ));
    }
    // Of several headers of one name, this check and a proxy in front may look at different ones.
    for (name, code) in [(header::HOST, "several_hosts"), (header::ORIGIN, "several_origins")] {
        if headers.get_all(&name).iter().count() > 1 {
            let message = format!("found several {name} headers, expected one");
            return Err(ApiError::new(StatusCode::BAD_REQUEST, code, message));
        }
    }
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let host = AllowedHost::parse(named).filter(|host| is_ours(host, listening) || is_allowed(host, allowed));
    let Some(host) = host else {
        let message = format!(
            "the request is for the host {named:?}, which may be another site's name for this machine; if it is yours, \
             start the server with --allow-host and this name"
        );
        return Err(ApiError::new(StatusCode::FORBIDDEN, "foreign_host", message));
    };
    // A request without an origin is harmless: browsers send one with every POST, with the opening of every WebSocket, and with every
    // request whose answer a script of another site could read.
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or("unreadable");
    let from = AllowedHost::of_origin(origin);
    if from.is_some_and(|from| host.is_of(&from) || is_allowed(&from, allowed)) {
        return Ok(());
    }
    let message = format!(
        "the request comes from {origin:?}, expected the page of http://{named}; if a proxy serves the page there, \
         start the server with --allow-host and that host"
    );
    Err(ApiError::new(StatusCode::FORBIDDEN, "foreign_origin", message))
}

fn is_allowed(host: &AllowedHost, allowed: &[AllowedHost]) -> bool {
    allowed.iter().any(|allowed| allowed.allows(host))
}

/// True for hosts that DNS cannot redirect: this machine's own names, and numeric addresses that the server
/// listens on (any address if it listens on all). The port is ignored, because a container or a tunnel has
/// another one.
fn is_ours(host: &AllowedHost, listening: SocketAddr) -> bool {
    let listens_at = listening.ip();
    host.is_this_machine()
        || host.address().is_some_and(|address| address == listens_at || listens_at.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: &str = "127.0.0.1:8080";

    /// The code with which a server at `listening`, for which `chess.example` and `box:9000` are allowed, refuses a request.
    fn verdict(
        listening: &str,
        host: &'static str,
        origin: Option<&'static str>,
    ) -> Result<(), &'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed = ["chess.example", "box:9000"].map(|name| name.parse().unwrap());
        judge(&Uri::from_static("/api/v1/games"), &headers, listening.parse().unwrap(), &allowed)
            .map_err(|error| error.refusal.code)
    }

    #[test]
    fn this_machine_and_allowed_names_are_our_host_on_any_port() {
        for host in [
            "127.0.0.1:8080",
            "127.0.0.1",
            "localhost:9000",
            "LocalHost",
            "[::1]:8080",
            "[::1]",
            "127.8.0.1:1",
            "localhost.:8080",
            "tabiya.localhost:9000",
            "[::ffff:127.0.0.1]:8080",
            "chess.example",
            "chess.example.",
            "Chess.Example:443",
            "box:9000",
        ] {
            assert_eq!(verdict(LOCAL, host, None), Ok(()), "{host}");
        }
        for host in [
            "",
            "evil.example:8080",
            "10.0.0.1:8080",
            "127.0.0.1.nip.io:8080",
            "localhost.evil.example",
            "evillocalhost:8080",
            "[::ffff:10.0.0.1]:8080",
            "evil.chess.example",
            "chess.example.evil",
            "localhost:x",
            "localhost:99999",
            "user@localhost:8080",
            "box:9001",
            "box",
        ] {
            assert_eq!(verdict(LOCAL, host, None), Err("foreign_host"), "{host}");
        }
        assert_eq!(verdict("0.0.0.0:8080", "192.168.1.7:9000", None), Ok(()));
        assert_eq!(verdict("0.0.0.0:8080", "rebound.example:8080", None), Err("foreign_host"));
    }

    #[test]
    fn a_foreign_origin_is_refused_and_ours_is_not() {
        for (host, origin) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("localhost:9000", "http://localhost:9000"),
            ("localhost", "http://localhost"),
            ("localhost:80", "http://localhost"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("localhost:8443", "https://localhost:8443"),
            ("chess.example", "https://chess.example"),
            ("chess.example:443", "https://chess.example"),
            // A proxy that forwards with the server's own address as `Host`.
            ("127.0.0.1:8080", "https://chess.example"),
            ("127.0.0.1:8080", "http://box:9000"),
        ] {
            assert_eq!(verdict(LOCAL, host, Some(origin)), Ok(()), "{origin} to {host}");
        }
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://127.0.0.1:80801",
            "ftp://127.0.0.1:8080",
            "http://box:9001",
            "https://chess.example.evil",
            "https://chess.example@evil.example",
            "https://evil.example/chess.example",
            "",
        ] {
            assert_eq!(verdict(LOCAL, "127.0.0.1:8080", Some(origin)), Err("foreign_origin"), "{origin}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("chess.lan:9000"))]);
        let refused = judge(&Uri::from_static("/"), &headers, LOCAL.parse().unwrap(), &[]).unwrap_err();
        assert!(refused.refusal.message.contains("chess.lan:9000"), "{}", refused.refusal.message);
        assert!(refused.refusal.message.contains("--allow-host"), "{}", refused.refusal.message);
    }

    /// Defect N18: of two origins only the first was checked.
    #[test]
    fn a_request_has_one_origin() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:8080"));
        for origin in ["http://127.0.0.1:8080", "http://evil.example"] {
            headers.append(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let verdict = judge(&Uri::from_static("/api/v1/games"), &headers, LOCAL.parse().unwrap(), &[]);
        assert_eq!(verdict.map_err(|error| error.refusal.code), Err("several_origins"));
    }
}
