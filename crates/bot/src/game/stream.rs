//! Streams that reconnect: connect, read lines, and connect again after any failure.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Duration,
};

use serde::de::DeserializeOwned;

use crate::{ApiError, Client, LogEvent, LogObserver, client::Backoff, lines::Line};

/// Item that a stream passes to its reader.
#[derive(Debug)]
pub(crate) enum StreamItem<E> {
    /// It is open, for the first time or again.
    Open,
    Event(E),
    /// The server says that the stream does not exist.
    Gone(String),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct StreamEnd(Arc<AtomicBool>);

impl StreamEnd {
    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_ended(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A stream to be read.
pub(crate) struct Stream {
    pub(crate) client: Arc<Client>,
    pub(crate) observer: Arc<dyn LogObserver>,
    pub(crate) path: String,
    pub(crate) end: StreamEnd,
}

impl Stream {
    /// Reads in its own thread until the receiver is dropped, [`StreamEnd::end`] is called, or the server
    /// answers with status 401, 403 or 404. The thread is not joined: it may be waiting for the server.
    pub(crate) fn spawn<E, T>(self, events: Sender<T>, wrap: fn(StreamItem<E>) -> T)
    where
        E: DeserializeOwned + 'static,
        T: Send + 'static,
    {
        thread::spawn(move || {
            let mut backoff = self.client.backoff();
            while !self.end.is_ended() {
                let Some(reason) = self.read(&events, wrap, &mut backoff) else { return };
                if self.end.is_ended() {
                    return;
                }
                let pause = backoff.pause();
                let path = self.path.clone();
                self.observer.report(&LogEvent::StreamLost { path, reason, pause });
                self.sleep(pause);
            }
        });
    }

    /// Reads one connection to its end and returns how it ended; `None` if the stream is over.
    fn read<E: DeserializeOwned, T>(
        &self,
        events: &Sender<T>,
        wrap: fn(StreamItem<E>) -> T,
        backoff: &mut Backoff,
    ) -> Option<String> {
        let mut lines = match self.client.stream(&self.path) {
            Ok(lines) => lines,
            Err(error) if error.is_transient() => return Some(error.to_string()),
            Err(error @ ApiError::Status { status: 401 | 403 | 404, .. }) => {
                // Fails only if the receiver is dropped.
                let _ = events.send(wrap(StreamItem::Gone(error.to_string())));
                return None;
            }
            // Anything else may be a fault on the way to the server, such as a proxy's page: tried again like a lost connection.
            Err(error) => return Some(error.to_string()),
        };
        events.send(wrap(StreamItem::Open)).ok()?;
        loop {
            if self.end.is_ended() {
                return None;
            }
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return Some("the stream ended".into()),
                Err(error) => return Some(error.to_string()),
            };
            // Anything that arrives shows that the connection works.
            backoff.reset();
            // A bad line is reported and skipped, not fatal: the next state of a game repeats everything.
            match line {
                Line::Alive => {}
                Line::Unreadable(reason) => self.left_out(reason.into()),
                Line::Text(text) => match self.client.parse(&text) {
                    Ok(event) => events.send(wrap(StreamItem::Event(event))).ok()?,
                    Err(error) => self.left_out(format!("a line that is not an event: {error}")),
                },
            }
        }
    }

    fn left_out(&self, reason: String) {
        self.observer.report(&LogEvent::BadLine { path: self.path.clone(), reason });
    }

    /// Sleeps in short intervals, so that an end is noticed.
    fn sleep(&self, pause: Duration) {
        let turn = Duration::from_millis(100);
        let mut left = pause;
        while !left.is_zero() && !self.end.is_ended() {
            thread::sleep(left.min(turn));
            left = left.saturating_sub(turn);
        }
    }
}
