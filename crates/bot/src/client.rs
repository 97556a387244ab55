//! Requests to the server, one at a time, as Lichess requires.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use chess::printable;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::de::DeserializeOwned;
use ureq::{
    Agent, Body,
    http::{Response, Uri},
};

use crate::{ConnectionSettings, Token, lines::Lines};

/// Upper limit of `Retry-After`: a wrong number must not silence the bot for ever. Chosen.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
/// Maximum length of an answer shown in an error.
const SHOWN_ANSWER: usize = 200;

/// Why a request failed. No text contains the token.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ApiError {
    /// The URL is invalid, or would send the token unencrypted.
    #[error("{url}: found no https address, expected https://... (http:// only to this machine itself)")]
    Address { url: String },
    #[error("{path}: no answer: {reason}")]
    NoAnswer { path: String, reason: String },
    /// Status 429, too many requests; nothing is sent until the pause has passed.
    #[error("{path}: too many requests (the next one is sent in {} s)", .wait.as_secs())]
    TooMany {
        path: String,
        /// Time to wait before the next request.
        wait: Duration,
    },
    /// The server refused or failed.
    #[error("{path}: found status {status}, expected 200: {answer}")]
    Status { path: String, status: u16, answer: String },
    #[error("{path}: found an answer that cannot be read: {reason}")]
    Content { path: String, reason: String },
}

impl ApiError {
    /// True if the same request may succeed later: no answer, a failure of the server, or too many requests.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::NoAnswer { .. } | Self::TooMany { .. } => true,
            Self::Status { status, .. } => *status == 408 || *status >= 500,
            Self::Address { .. } | Self::Content { .. } => false,
        }
    }
}

/// The account's connection to the server. All threads of a bot share one, so its requests are sent one after another.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    settings: ConnectionSettings,
    token: Token,
    /// Earliest time for the next request; locked while a request is in progress.
    not_before: Mutex<Instant>,
}

impl Client {
    /// A client for this server and account; nothing is sent yet.
    ///
    /// # Errors
    /// [`ApiError::Address`].
    pub fn new(settings: ConnectionSettings, token: Token, user_agent: &str) -> Result<Self, ApiError> {
        if !is_safe(&settings.url) {
            return Err(ApiError::Address { url: settings.url });
        }
        let mut agent = Agent::config_builder();
        if settings.url.starts_with("http://") {
            // This machine: a proxy from the environment would see the token in the clear.
            agent = agent.proxy(None);
        }
        let agent = agent
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(settings.request))
            .timeout_per_read(Some(settings.silence))
            .timeout_per_write(Some(settings.request))
            .user_agent(user_agent)
            .build()
            .into();
        Ok(Self { agent, settings, token, not_before: Mutex::new(Instant::now()) })
    }

    pub(crate) fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    /// Pauses for requests or connections that are tried again.
    pub(crate) fn backoff(&self) -> Backoff {
        let ConnectionSettings { first_pause, longest_pause, .. } = self.settings;
        // Processes that lost the server at the same moment draw different pauses.
        Backoff::new(first_pause, longest_pause, std::process::id().into())
    }

    /// Gets a JSON object.
    ///
    /// # Errors
    /// [`ApiError`].
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ApiError> {
        let text = self.text(path)?;
        self.parse(&text).map_err(|error| self.unreadable(path, &error))
    }

    /// The error for an answer that is not the JSON expected of this path.
    pub(crate) fn unreadable(&self, path: &str, error: &serde_json::Error) -> ApiError {
        ApiError::Content { path: self.shown(path), reason: error.to_string() }
    }

    /// Gets a text as a whole, within the timeout of a request.
    pub(crate) fn text(&self, path: &str) -> Result<String, ApiError> {
        self.send(path, || {
            let request = self.agent.get(self.url(path)).header("Authorization", self.token.authorization());
            request.config().timeout_global(Some(self.settings.request)).build().call()
        })
    }

    /// Reads the server's text. A token that the server sends back, for example as a name, is redacted: names are logged.
    ///
    /// # Errors
    /// If it is not JSON, or another object than expected.
    pub(crate) fn parse<T: DeserializeOwned>(&self, text: &str) -> Result<T, serde_json::Error> {
        let mut value = serde_json::from_str(text)?;
        self.token.redact_value(&mut value);
        serde_json::from_value(value)
    }

    /// Sends a form; the answer's content does not matter.
    ///
    /// # Errors
    /// [`ApiError`].
    pub fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<(), ApiError> {
        self.submit(path, form).map(drop)
    }

    /// Sends a form and reads the JSON object that answers it.
    pub(crate) fn post_for<T: DeserializeOwned>(
        &self,
        path: &str,
        form: &[(&str, &str)],
    ) -> Result<T, ApiError> {
        let text = self.submit(path, form)?;
        self.parse(&text).map_err(|error| self.unreadable(path, &error))
    }

    /// Sends a form and returns the text that answers it.
    fn submit(&self, path: &str, form: &[(&str, &str)]) -> Result<String, ApiError> {
        self.send(path, || {
            let request = self.agent.post(self.url(path)).header("Authorization", self.token.authorization());
            let request = request.config().timeout_global(Some(self.settings.request)).build();
            request.send_form(form.iter().copied())
        })
    }

    pub(crate) fn stream(&self, path: &str) -> Result<Lines<impl std::io::Read + use<>>, ApiError> {
        // A stream is open for hours in parallel with other requests: it takes a turn to open and releases it at once.
        drop(self.turn());
        let request = self.agent.get(self.url(path)).header("Authorization", self.token.authorization());
        let request = request.header("Accept", "application/x-ndjson").config();
        let answer = request.timeout_recv_response(Some(self.settings.request)).build().call();
        let response = self.check(path, answer, &mut |pause| *self.turn() = pause)?;
        Ok(Lines::new(response.into_body().into_reader()))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.settings.url)
    }

    /// Waits until a request may be sent and keeps others from being sent meanwhile.
    ///
    /// Lichess asks for one request at a time and for a full minute of silence after status 429, whichever thread caused it. One lock
    /// holds both rules: the thread that has it is the only one that sends, and it sleeps inside the lock, so that the others queue
    /// behind the pause instead of each discovering the limit with a request of its own.
    fn turn(&self) -> MutexGuard<'_, Instant> {
        let not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        thread::sleep(not_before.saturating_duration_since(Instant::now()));
        not_before
    }

    /// Sends when it is its turn. The answer is always read to its end, so that the connection can be reused.
    fn send(
        &self,
        path: &str,
        request: impl FnOnce() -> Result<Response<Body>, ureq::Error>,
    ) -> Result<String, ApiError> {
        let mut turn = self.turn();
        let answer = request();
        let mut response = self.check(path, answer, &mut |pause| *turn = pause)?;
        drop(turn);
        response.body_mut().read_to_string().map_err(|error| self.no_answer(path, &error))
    }

    /// Checks the status; `pause_until` is called if the server requires a pause.
    fn check(
        &self,
        path: &str,
        answer: Result<Response<Body>, ureq::Error>,
        pause_until: &mut dyn FnMut(Instant),
    ) -> Result<Response<Body>, ApiError> {
        let mut response = answer.map_err(|error| self.no_answer(path, &error))?;
        match response.status().as_u16() {
            200 | 201 => Ok(response),
            429 => {
                let header = response.headers().get("Retry-After").and_then(|header| header.to_str().ok());
                let wait = header.and_then(pause_of).unwrap_or(self.settings.after_too_many);
                pause_until(Instant::now() + wait);
                Err(ApiError::TooMany { path: self.shown(path), wait })
            }
            status => {
                // Only the status matters; of an answer that breaks off, the received part is shown.
                let answer = response.body_mut().read_to_string().unwrap_or_default();
                let answer = self.shown(&answer).chars().take(SHOWN_ANSWER).collect();
                Err(ApiError::Status { path: self.shown(path), status, answer })
            }
        }
    }

    fn no_answer(&self, path: &str, error: &ureq::Error) -> ApiError {
        ApiError::NoAnswer { path: self.shown(path), reason: self.shown(&error.to_string()) }
    }

    /// Text from the server made safe for an error message: without the token and control characters.
    fn shown(&self, text: &str) -> String {
        printable(&self.token.redact(text), &[])
    }
}

/// Pauses that double up to a limit. Each is shortened at random by up to a half, so that many bots do not reconnect together.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
    random: Xoshiro256PlusPlus,
}

impl Backoff {
    fn new(first: Duration, longest: Duration, seed: u64) -> Self {
        Self { first, longest, next: first, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.next.min(self.longest);
        self.next = pause.saturating_mul(2);
        pause.mul_f64(self.random.random_range(0.5..=1.0))
    }

    /// The connection works: the next pause is the first one again.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

/// The pause in the header `Retry-After`; `None` for a date or any other text that is not a number.
fn pause_of(header: &str) -> Option<Duration> {
    let seconds = header.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_PAUSE))
}

/// True if a token may be sent there: encrypted, or to this machine. Uses the parser that also decides where requests go.
fn is_safe(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    // `http://localhost:x@elsewhere` names a user, and the host is `elsewhere`.
    let (Some(authority), Some(host)) = (uri.authority(), uri.host()) else { return false };
    if authority.as_str().contains('@') {
        return false;
    }
    match uri.scheme_str() {
        Some("https") => true,
        Some("http") => ["localhost", "127.0.0.1", "[::1]"].contains(&host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_limit_and_begin_again_after_success() {
        let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(10), 1);
        for whole in [1, 2, 4, 8, 10, 10].map(Duration::from_secs) {
            let pause = backoff.pause();
            assert!(pause <= whole && pause * 2 >= whole, "{pause:?} of {whole:?}");
        }
        backoff.reset();
        assert!(backoff.pause() <= Duration::from_secs(1));
    }

    #[test]
    fn the_server_says_how_long_to_wait() {
        assert_eq!(pause_of(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(pause_of(&u64::MAX.to_string()), Some(LONGEST_PAUSE));
        for asked in ["", "-1", "1.5", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999"] {
            assert_eq!(pause_of(asked), None, "{asked}");
        }
    }

    #[test]
    fn a_token_leaves_this_machine_only_encrypted() {
        let safe = ["https://lichess.org", "http://127.0.0.1:9663", "http://localhost:8080"];
        assert!(safe.iter().all(|url| is_safe(url)));
        let unsafe_ones = [
            "http://lichess.org",
            "http://localhost.example.org",
            "http://127.0.0.1.example.org",
            "lichess.org",
            // Defect N6: the host of these addresses comes after the @.
            "http://localhost:x@127.0.0.2:18999",
            "http://127.0.0.1@example.org",
            "http://localhost:80:x@example.org/",
            "https://user:password@lichess.org",
            "http://localhost\\@example.org",
            "",
        ];
        assert!(!unsafe_ones.iter().any(|url| is_safe(url)));
        let settings =
            ConnectionSettings { url: "http://lichess.org".into(), ..ConnectionSettings::default() };
        let token = Token::parse("lip_Secret1", "").unwrap();
        let refused = Client::new(settings, token, "test").unwrap_err().to_string();
        assert!(refused.contains("http://lichess.org") && !refused.contains("Secret"), "{refused}");
    }
}
