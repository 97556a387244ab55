//! The WebSocket of a page: it subscribes to topics and receives their newest states. Each of its requests carries an `id`,
//! which the reply repeats.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use axum::{
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseCode, CloseFrame, Message, WebSocket, close_code},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
    time,
};

use crate::{
    analysis::{Analysis, AnalysisRequest},
    api::ServerView,
    app::App,
    error::ApiError,
    frame::Frame,
    runs::{self, RunSummary},
};

// The limits of one page are chosen, not measured: above what the page of this program uses.

/// Maximum length in bytes. Chosen: the moves of the longest games take a few thousand.
const LONGEST_MESSAGE: usize = 64 * 1024;
/// Messages that a page may send in one second.
const MESSAGES_A_SECOND: u32 = 32;
/// Subscriptions of one page at a time. Chosen, more than the page has.
const MOST_TOPICS: usize = 16;
/// Searches of one page: two networks side by side, and the opponent's threat.
const MOST_SEARCHES: usize = 3;
/// Maximum length in bytes of a page's name for a topic or a search.
const LONGEST_NAME: usize = 16;
/// A topic is sent at most this often; states in between are skipped, only the newest matters.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(40);
/// Interval of pings on a silent connection: below the 60 s after which nginx closes one (`proxy_read_timeout`).
const PING_EVERY: Duration = Duration::from_secs(25);
/// Time that a page has to receive one message.
const SLOWEST_SEND: Duration = Duration::from_secs(20);
/// Name and version of the message format.
const SUBPROTOCOL: &str = "tabiya.v1";

/// A request of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Request {
    /// Chosen by the page; repeated in the answer.
    id: u64,
    #[serde(flatten)]
    action: Action,
}

/// Action that a page requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
enum Action {
    /// Subscribe to a topic: its state now and every change.
    Sub { topic: String },
    /// Unsubscribe from it.
    Unsub { topic: String },
    /// Search a position from now on, under a name chosen by the page: topic `search/{search}`.
    Search { search: String, request: AnalysisRequest },
    /// Stop searching; the tree is kept until the page drops the name.
    StopSearch { search: String },
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "t", rename_all = "snake_case")]
enum Answer {
    Ok { id: u64 },
    Err { id: Option<u64>, code: &'static str, message: String },
}

/// Opens the live connection.
pub(crate) async fn connect(State(app): State<App>, upgrade: WebSocketUpgrade) -> Response {
    let Some(place) = app.socket_permit() else {
        return ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too_many_pages",
            "too many pages are open; close one",
        )
        .into_response();
    };
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .on_upgrade(move |socket| async move {
            Session::new(app).run(socket).await;
            drop(place);
        })
}

/// Subscriptions and analyses of one page.
struct Session {
    app: App,
    topics: HashMap<String, JoinHandle<()>>,
    searches: HashMap<String, Analysis>,
    outgoing: mpsc::Sender<Frame>,
    frames: mpsc::Receiver<Frame>,
    pace: RateLimit,
}

impl Session {
    fn new(app: App) -> Self {
        // A single slot keeps a slow page up to date: a topic takes its newest state only when the slot is free, so the states that
        // came meanwhile are skipped. A longer queue would send a page on a bad line every state of a search, seconds late.
        let (outgoing, frames) = mpsc::channel(1);
        Self {
            app,
            topics: HashMap::new(),
            searches: HashMap::new(),
            outgoing,
            frames,
            pace: RateLimit::new(),
        }
    }

    /// Serves the page until it leaves, breaks the rules or the server ends.
    async fn run(mut self, mut socket: WebSocket) {
        let mut ending = self.app.ending.clone();
        let mut ping = time::interval(PING_EVERY);
        ping.reset();
        // Everything that is sent goes through this loop, one message at a time, so that a page that does not read is noticed by the
        // time limit below. Nothing is received meanwhile: a page that only sends is slowed down by its own socket.
        loop {
            let answer = tokio::select! {
                received = socket.recv() => match received {
                    Some(Ok(Message::Text(text))) if !self.pace.allows(Instant::now()) => {
                        close(&mut socket, "too many messages").await;
                        drop(text);
                        break;
                    }
                    Some(Ok(Message::Text(text))) => self.serve(&text).await,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => {
                        close(&mut socket, "expected JSON text, found binary data").await;
                        break;
                    }
                    Some(Err(error)) => {
                        let (code, reason) = fault(error);
                        close_with(&mut socket, code, reason).await;
                        break;
                    }
                    Some(Ok(Message::Close(_))) | None => break,
                },
                Some(frame) = self.frames.recv() => match frame.message() {
                    Some(message) => message,
                    None => continue,
                },
                _ = ping.tick() => Message::Ping(axum::body::Bytes::new()),
                _ = ending.changed() => {
                    close(&mut socket, "the server is stopping").await;
                    break;
                }
            };
            if !matches!(time::timeout(SLOWEST_SEND, socket.send(answer)).await, Ok(Ok(()))) {
                break;
            }
        }
        for task in self.topics.into_values() {
            task.abort();
        }
    }

    async fn serve(&mut self, text: &str) -> Message {
        let answer = match serde_json::from_str::<Request>(text) {
            Ok(Request { id, action }) => match self.act(action).await {
                Ok(()) => Answer::Ok { id },
                Err(error) => {
                    Answer::Err { id: Some(id), code: error.refusal.code, message: error.refusal.message }
                }
            },
            Err(error) => Answer::Err {
                id: None,
                code: "invalid_message",
                message: format!(
                    "expected a request such as {{\"id\":1,\"t\":\"sub\",\"topic\":\"game/1\"}}: {error}"
                ),
            },
        };
        let text = serde_json::to_string(&answer).expect("an answer holds only texts and numbers");
        Message::Text(text.into())
    }

    async fn act(&mut self, action: Action) -> Result<(), ApiError> {
        match action {
            Action::Sub { topic } => self.subscribe(topic).await,
            Action::Unsub { topic } => self.unsubscribe(&topic),
            Action::Search { search, request } => self.search(search, request).await,
            Action::StopSearch { search } => match self.searches.get(&search) {
                Some(analysis) => {
                    analysis.stop();
                    Ok(())
                }
                None => Err(ApiError::missing("search", &search)),
            },
        }
    }

    async fn search(&mut self, name: String, request: AnalysisRequest) -> Result<(), ApiError> {
        if !self.searches.contains_key(&name) {
            if self.searches.len() >= MOST_SEARCHES {
                let message = format!("expected at most {MOST_SEARCHES} searches at the same time");
                return Err(ApiError::invalid("too_many_searches", message));
            }
            if name.is_empty() || name.len() > LONGEST_NAME {
                let message = format!("search: expected a name of 1 to {LONGEST_NAME} bytes");
                return Err(ApiError::invalid("invalid_message", message));
            }
            let topic = format!("search/{name}");
            let analysis = self.app.analysis(&name)?;
            self.topics.insert(topic, tokio::spawn(forward(analysis.watch(), self.outgoing.clone())));
            self.searches.insert(name.clone(), analysis);
        }
        let default = if let Some(network) = request.network() {
            network.to_owned()
        } else {
            let first = self.app.blocking(move |app| Ok(app.engines.networks().into_iter().next())).await?;
            first.ok_or_else(|| ApiError::failed("there is no network to search with"))?.id
        };
        self.searches[&name].start(&request, &default)
    }

    fn unsubscribe(&mut self, topic: &str) -> Result<(), ApiError> {
        let task = self.topics.remove(topic).ok_or_else(|| ApiError::missing("subscription to", topic))?;
        task.abort();
        // A search without a subscriber ends, and its name is free for another. Its tree is a topic of its own, which would stay silent.
        if let Some(name) = topic.strip_prefix("search/")
            && self.searches.remove(name).is_some()
            && let Some(tree) = self.topics.remove(&format!("tree/{name}"))
        {
            tree.abort();
        }
        Ok(())
    }

    async fn subscribe(&mut self, topic: String) -> Result<(), ApiError> {
        if self.topics.contains_key(&topic) {
            return Ok(());
        }
        if self.topics.len() >= MOST_TOPICS + self.searches.len() {
            let message = format!("expected at most {MOST_TOPICS} topics at the same time");
            return Err(ApiError::invalid("too_many_topics", message));
        }
        let states = if let Some(search) = topic.strip_prefix("tree/") {
            let analysis = self.searches.get(search).ok_or_else(|| ApiError::missing("search", search))?;
            analysis.watch_tree()
        } else {
            let name = topic.clone();
            self.app.blocking(move |app| open_topic(app, &name)).await?
        };
        self.topics.insert(topic, tokio::spawn(forward(states, self.outgoing.clone())));
        Ok(())
    }
}

/// A topic's states from now on. May read the disk: not for a thread that must not block.
fn open_topic(app: &App, topic: &str) -> Result<watch::Receiver<Frame>, ApiError> {
    match topic {
        "runs" => return Ok(watch_runs(app)),
        "results" => {
            let folder = app.config.results.clone();
            return Ok(app.watchers.watch("results", move || Ok(runs::stamps(&folder)?)));
        }
        "server" => {
            let server = app.clone();
            return Ok(app.watchers.watch("server", move || Ok(ServerView::new(&server))));
        }
        _ => {}
    }
    match topic.split_once('/') {
        Some(("game", id)) => Ok(app.games.find(id)?.watch()),
        Some(("review", id)) => app.reviews.watch(id),
        _ => Err(ApiError::missing("topic", topic)),
    }
}

/// The runs that changed; the page then requests the details it needs.
#[derive(Serialize)]
struct RunNews {
    runs: Vec<RunSummary>,
}

fn watch_runs(app: &App) -> watch::Receiver<Frame> {
    let folder = app.config.runs.clone();
    app.watchers.watch("runs", move || {
        // Passing seconds of silence are not news.
        let mut runs = runs::list(&folder)?;
        for run in &mut runs {
            run.silent_seconds = 0;
        }
        Ok(RunNews { runs })
    })
}

/// Sends the newest state whenever there is room for one and enough time has passed.
async fn forward(mut states: watch::Receiver<Frame>, outgoing: mpsc::Sender<Frame>) {
    // The state at the time of the subscription counts as news, so that a page does not wait for the next change to show anything.
    states.mark_changed();
    while states.changed().await.is_ok() {
        let Ok(place) = outgoing.reserve().await else { return };
        let newest = states.borrow_and_update().clone();
        place.send(newest);
        time::sleep(SHORTEST_INTERVAL).await;
    }
}

/// The close code of RFC 6455, section 7.4.1, for an invalid message of a page.
fn fault(error: axum::Error) -> (CloseCode, &'static str) {
    use tungstenite::Error;
    match error.into_inner().downcast_ref::<Error>() {
        Some(Error::Capacity(_)) => (close_code::SIZE, "the message is too long"),
        Some(Error::Utf8(_)) => (close_code::INVALID, "the text is not UTF-8"),
        _ => (close_code::PROTOCOL, "a malformed frame"),
    }
}

async fn close(socket: &mut WebSocket, reason: &'static str) {
    close_with(socket, close_code::POLICY, reason).await;
}

async fn close_with(socket: &mut WebSocket, code: CloseCode, reason: &'static str) {
    let frame = CloseFrame { code, reason: reason.into() };
    // Fails only if the page has already closed the connection.
    let _ = time::timeout(SLOWEST_SEND, socket.send(Message::Close(Some(frame)))).await;
}

/// Counts a page's messages second by second.
#[derive(Debug)]
struct RateLimit {
    second: Instant,
    messages: u32,
}

impl RateLimit {
    fn new() -> Self {
        Self { second: Instant::now(), messages: 0 }
    }

    fn allows(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.second) >= Duration::from_secs(1) {
            (self.second, self.messages) = (now, 0);
        }
        self.messages += 1;
        self.messages <= MESSAGES_A_SECOND
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_send_so_many_messages_each_second() {
        let mut pace = RateLimit::new();
        let start = pace.second;
        assert!((0..MESSAGES_A_SECOND).all(|_| pace.allows(start)));
        assert!(!pace.allows(start));
        assert!(pace.allows(start + Duration::from_secs(1)));
    }
}
