//! Live analysis over the WebSocket.

use std::{io::Write as _, net::TcpStream, sync::atomic::Ordering, time::Duration};

use serde_json::Value;
use tungstenite::{Message, WebSocket, client::IntoClientRequest as _};

use crate::stage::Stage;

const PATIENCE: Duration = Duration::from_secs(20);

/// A page's connection.
pub(crate) struct Socket(WebSocket<TcpStream>);

impl Socket {
    pub(crate) fn open(stage: &Stage) -> Self {
        Self::open_from(stage, None).unwrap()
    }

    /// A connection of a page from `origin`, or the reason why it was refused.
    pub(crate) fn open_from(stage: &Stage, origin: Option<&str>) -> Result<Self, String> {
        let mut request = format!("ws://{}/api/v1/live", stage.address).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", "tabiya.v1".parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let stream = TcpStream::connect(stage.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let opened = tungstenite::client(request, stream);
        opened.map(|(socket, _)| Self(socket)).map_err(|error| error.to_string())
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    /// Sends to a connection that may be closed by now.
    pub(crate) fn try_send(&mut self, text: &str) {
        let _ = self.0.send(Message::text(text));
    }

    /// The next message that matches.
    pub(crate) fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().expect("the connection stands") {
                let value: Value = serde_json::from_str(&text).unwrap();
                if fits(&value) {
                    return value;
                }
            }
        }
    }

    /// Sends bytes that are not a frame. Returns the code with which the server closes.
    pub(crate) fn close_code_after(
        &mut self,
        bytes: &[u8],
    ) -> Option<tungstenite::protocol::frame::coding::CloseCode> {
        self.0.get_mut().write_all(bytes).unwrap();
        loop {
            match self.0.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// True if the server ends the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        loop {
            match self.0.read() {
                Ok(Message::Close(_)) => return true,
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    return false;
                }
                Err(_) => return true,
            }
        }
    }

    /// The next state of a search that matches.
    fn state(&mut self, search: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let topic = format!("search/{search}");
        self.until(|message| message["topic"] == topic.as_str() && fits(&message["data"]))["data"].clone()
    }
}

#[test]
fn a_search_runs_until_its_budget_and_tells_every_root_move() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"search","search":"a","request":{"key":5,"moves":["e2e4"],"nodes":30}}"#);
    let state = socket.state("a", |state| state["stage"] == "spent");
    assert_eq!((state["key"].as_u64(), state["budget"].as_u64()), (Some(5), Some(30)));
    assert_eq!(state["trace"]["moves"].as_array().unwrap().len(), 20);
    assert!(state["trace"]["fen"].as_str().unwrap().contains(" b KQkq"), "{state}");
    assert!(state["visits"].as_u64().unwrap() >= 30);
}

#[test]
fn a_search_without_end_stops_when_told_and_makes_way_for_the_next_position() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"search","search":"a","request":{"key":1}}"#);
    socket.state("a", |state| state["stage"] == "running" && state["visits"].as_u64() > Some(3));
    socket.send(r#"{"id":2,"t":"search","search":"a","request":{"key":2,"moves":["d2d4"]}}"#);
    socket.state("a", |state| state["key"] == 2 && state["stage"] == "running");
    socket.send(r#"{"id":3,"t":"stop_search","search":"a"}"#);
    assert_eq!(socket.state("a", |state| state["stage"] == "stopped")["key"], 2);
}

/// It searched on for nobody, and another search of the name was not heard.
#[test]
fn a_search_that_nobody_hears_ends_and_frees_its_name() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    for key in [1, 2] {
        socket.send(&format!(r#"{{"id":1,"t":"search","search":"a","request":{{"key":{key}}}}}"#));
        socket.state("a", |state| state["key"] == key && state["stage"] == "running");
        socket.send(r#"{"id":2,"t":"sub","topic":"tree/a"}"#);
        assert_eq!(socket.until(|answer| answer["id"] == 2)["t"], "ok");
        socket.send(r#"{"id":3,"t":"unsub","topic":"search/a"}"#);
        assert_eq!(socket.until(|answer| answer["id"] == 3)["t"], "ok");
        let end = std::time::Instant::now() + PATIENCE;
        while stage.searches.load(Ordering::SeqCst) > 0 {
            assert!(std::time::Instant::now() < end, "the search goes on");
            std::thread::yield_now();
        }
    }
    socket.send(r#"{"id":4,"t":"stop_search","search":"a"}"#);
    assert_eq!(socket.until(|answer| answer["id"] == 4)["code"], "not_found");
}

#[test]
fn a_search_that_panics_has_failed_and_the_next_one_runs() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"search","search":"a","request":{"key":1,"network":"panicking"}}"#);
    let state = socket.state("a", |state| state["stage"] == "failed");
    assert_eq!(state["message"], "the search panicked: a child without a parent");
    socket.send(r#"{"id":2,"t":"search","search":"a","request":{"key":2,"nodes":3}}"#);
    assert_eq!(socket.state("a", |state| state["stage"] == "spent")["key"], 2);
}

#[test]
fn two_searches_run_side_by_side_and_only_three_fit() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    for (id, name) in ["a", "b", "c"].iter().enumerate() {
        socket.send(&format!(r#"{{"id":{id},"t":"search","search":"{name}","request":{{"key":1}}}}"#));
    }
    for name in ["a", "b", "c"] {
        socket.state(name, |state| state["stage"] == "running");
    }
    socket.send(r#"{"id":9,"t":"search","search":"d","request":{"key":1}}"#);
    assert_eq!(socket.until(|answer| answer["id"] == 9)["code"], "too_many_searches");
}

#[test]
fn what_cannot_be_searched_is_said() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    for (id, request) in [
        r#"{"key":1,"fen":"nonsense"}"#,
        r#"{"key":1,"moves":["e2e5"]}"#,
        r#"{"key":1,"only":["e7e5"]}"#,
        r#"{"key":1,"nodes":0}"#,
    ]
    .iter()
    .enumerate()
    {
        socket.send(&format!(r#"{{"id":{id},"t":"search","search":"a","request":{request}}}"#));
        let answer = socket.until(|answer| answer["id"] == id);
        assert_eq!(
            (answer["t"].as_str(), answer["code"].as_str()),
            (Some("err"), Some("invalid_position")),
            "{request}"
        );
    }
    socket.send(r#"{"id":9,"t":"search","search":"a","request":{"key":3,"network":"broken"}}"#);
    let failed = socket.state("a", |state| state["key"] == 3 && state["stage"] == "failed");
    assert!(failed["message"].as_str().unwrap().contains("broken"), "{failed}");
    socket.send(
        r#"{"id":10,"t":"search","search":"a","request":{"key":4,"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}}"#,
    );
    socket.state("a", |state| state["key"] == 4 && state["stage"] == "over");
}

#[test]
fn the_tree_has_a_topic_of_its_own() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"sub","topic":"tree/a"}"#);
    assert_eq!(socket.until(|answer| answer["id"] == 1)["code"], "not_found");
    socket.send(r#"{"id":2,"t":"search","search":"a","request":{"key":4,"nodes":30}}"#);
    let state = socket.state("a", |state| state["stage"] == "spent");
    assert!(state["trace"]["branches"].is_null(), "states stay small: {state}");
    socket.send(r#"{"id":3,"t":"sub","topic":"tree/a"}"#);
    let tree = socket.until(|message| message["topic"] == "tree/a")["data"].clone();
    assert_eq!((tree["key"].as_u64(), tree["branches"][1]["parent"].as_u64()), (Some(4), Some(0)), "{tree}");
    assert_eq!(
        (tree["branches"][0]["san"].as_str(), tree["branches"][1]["san"].is_string()),
        (Some("a3"), true)
    );
}

#[test]
fn the_trees_of_all_pages_together_are_limited() {
    let stage = Stage::new();
    let mut pages: Vec<Socket> = (0..4).map(|_| Socket::open(&stage)).collect();
    for page in &mut pages {
        for name in ["a", "b", "c"] {
            page.send(&format!(
                r#"{{"id":1,"t":"search","search":"{name}","request":{{"key":1,"nodes":20}}}}"#
            ));
            page.until(|message| {
                message["topic"] == format!("search/{name}") && message["data"]["stage"] == "spent"
            });
        }
    }
    let kept = stage.searches.load(Ordering::SeqCst);
    assert!((1..=4).contains(&kept), "{kept} trees are in memory after 12 analyses");
    // The last one is still there: its visits count.
    let last = pages.last_mut().unwrap();
    last.send(r#"{"id":2,"t":"search","search":"c","request":{"key":2,"nodes":20}}"#);
    last.until(|message| message["topic"] == "search/c" && message["data"]["stage"] == "spent");
    assert_eq!(stage.searches.load(Ordering::SeqCst), kept);
    drop(pages);
    let end = std::time::Instant::now() + PATIENCE;
    while stage.searches.load(Ordering::SeqCst) > 0 {
        assert!(std::time::Instant::now() < end, "trees outlive their pages");
        std::thread::yield_now();
    }
}

#[test]
fn malformed_frames_are_answered_with_the_code_of_their_fault() {
    use tungstenite::protocol::frame::coding::CloseCode;
    let stage = Stage::new();
    let masked = |head: u8, payload: &[u8]| {
        let mut frame = vec![head, 0x80 | payload.len() as u8, 0, 0, 0, 0];
        frame.extend_from_slice(payload);
        frame
    };
    let unmasked = vec![0x81, 1, b'x'];
    let too_long = [&[0x81, 0xff][..], &200_000_u64.to_be_bytes(), &[0, 0, 0, 0]].concat();
    for (bytes, code) in [
        (masked(0x81, &[0xff, 0xfe]), CloseCode::Invalid),
        (masked(0xf1, b"x"), CloseCode::Protocol),
        (masked(0x83, b"x"), CloseCode::Protocol),
        (unmasked, CloseCode::Protocol),
        (too_long, CloseCode::Size),
    ] {
        let mut socket = Socket::open(&stage);
        assert_eq!(socket.close_code_after(&bytes), Some(code), "{bytes:?}");
    }
}
