//! A running server, and the simplest client that can talk to it.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::{Arc, Mutex, atomic::AtomicUsize},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use chess::Tablebases;
use serde_json::Value;
use web::{SLOWEST_REQUEST, Server, ServerConfig, ServerHandle};

use crate::double::Doubles;

/// A server with a folder of its own; it ends with the test.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) folder: Arc<tempfile::TempDir>,
    /// Searches in memory, each with its tree.
    pub(crate) searches: Arc<AtomicUsize>,
    /// The content of every network of the doubles.
    pub(crate) content: Arc<Mutex<String>>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The code of a refusal.
    pub(crate) fn code(&self) -> String {
        let refusal = self.json();
        assert!(refusal["message"].as_str().is_some_and(|message| message.len() > 5), "{refusal}");
        refusal["code"].as_str().unwrap().to_owned()
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::in_folder(Arc::new(tempfile::tempdir().unwrap()))
    }

    /// A server on a folder that another server used before.
    pub(crate) fn in_folder(folder: Arc<tempfile::TempDir>) -> Self {
        Self::with(folder, SLOWEST_REQUEST)
    }

    /// A server that gives requests this much time.
    pub(crate) fn with(folder: Arc<tempfile::TempDir>, slowest_request: Duration) -> Self {
        Self::of(folder, slowest_request, None)
    }

    /// A server with endgame tables.
    pub(crate) fn with_tables(tables: Tablebases) -> Self {
        Self::of(Arc::new(tempfile::tempdir().unwrap()), SLOWEST_REQUEST, Some(Arc::new(tables)))
    }

    fn of(
        folder: Arc<tempfile::TempDir>,
        slowest_request: Duration,
        tables: Option<Arc<Tablebases>>,
    ) -> Self {
        let path = |name: &str| folder.path().join(name);
        let config = ServerConfig {
            address: "127.0.0.1:0".parse().unwrap(),
            allowed_hosts: vec!["chess.example".parse().unwrap()],
            games: path("games"),
            runs: path("runs"),
            results: path("results"),
            personal: path("personal"),
            data: vec![path("data")],
            openings: path("openings"),
            tables,
            version: "test".into(),
            slowest_request,
        };
        let doubles = Doubles::default();
        let (searches, content) = (Arc::clone(&doubles.searches), Arc::clone(&doubles.content));
        let server = Server::bind(config, Arc::new(doubles)).unwrap();
        let (address, handle) = (server.address(), server.handle());
        let thread = thread::spawn(move || server.run().unwrap());
        Self { address, folder, searches, content, handle, thread: Some(thread) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Sends a request as it is.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A refused request may be answered before it was written completely.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let split = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
        let head = String::from_utf8_lossy(&bytes[..split]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes[split + 4..].to_vec() }
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let (address, length) = (self.address, body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}");
        self.raw(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.request("POST", path, "Content-Type: application/json\r\n", body)
    }

    /// Starts a game and returns its address in the API.
    pub(crate) fn game(&self, request: &str) -> String {
        let answer = self.post("/api/v1/games", request);
        assert_eq!(answer.status, 201, "{}", answer.text());
        format!("/api/v1/games/{}", answer.json()["id"].as_str().unwrap())
    }

    /// Asks until the answer matches.
    pub(crate) fn wait(&self, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let value = self.get(path).json();
            if fits(&value) {
                return value;
            }
            assert!(Instant::now() < end, "waited in vain: {value}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            // A failed test has already reported its failure.
            let _ = thread.join();
        }
    }
}
