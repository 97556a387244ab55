//! A message to pages, serialised once for all of them.

use axum::extract::ws::{Message, Utf8Bytes};
use serde::Serialize;

use crate::error::{ApiError, Refusal};

/// The newest state of a topic as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame(Utf8Bytes);

#[derive(Serialize)]
struct Envelope<'a, T> {
    t: &'static str,
    topic: &'a str,
    data: &'a T,
}

/// The state of a topic that could not be determined.
#[derive(Serialize)]
struct Failed<'a> {
    refused: &'a Refusal,
}

impl Frame {
    /// The initial, empty frame, never sent.
    pub(crate) fn empty() -> Self {
        Self(Utf8Bytes::from_static(""))
    }

    /// The state `data` of a topic. Every state is a structure of numbers, texts and lists, which always has a JSON form.
    pub(crate) fn new<T: Serialize>(topic: &str, data: &T) -> Self {
        let text = serde_json::to_string(&Envelope { t: "topic", topic, data });
        Self(text.expect("states hold no maps with keys other than texts").into())
    }

    /// The state of a topic, or the reason why it is unknown.
    pub(crate) fn of<T: Serialize>(topic: &str, state: &Result<T, ApiError>) -> Self {
        match state {
            Ok(data) => Self::new(topic, data),
            Err(error) => Self::new(topic, &Failed { refused: &error.refusal }),
        }
    }

    /// The message; `None` for the empty frame.
    pub(super) fn message(&self) -> Option<Message> {
        (!self.0.is_empty()).then(|| Message::Text(self.0.clone()))
    }
}
