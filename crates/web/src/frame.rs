//! A message to pages, made once however many pages get it.

use axum::extract::ws::{Message, Utf8Bytes};
use serde::Serialize;

/// The newest state of a topic as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame(Utf8Bytes);

#[derive(Serialize)]
struct Envelope<'a, T> {
    t: &'static str,
    topic: &'a str,
    data: &'a T,
}

impl Frame {
    /// Nothing to say yet; never sent.
    pub(crate) fn empty() -> Self {
        Self(Utf8Bytes::from_static(""))
    }

    /// The state `data` of a topic. Every state is a structure of numbers, texts and lists, which always has a JSON form.
    pub(crate) fn new<T: Serialize>(topic: &str, data: &T) -> Self {
        let text = serde_json::to_string(&Envelope { t: "topic", topic, data });
        Self(text.expect("states hold no maps with keys other than texts").into())
    }

    /// The message; `None` for the empty frame.
    pub(super) fn message(&self) -> Option<Message> {
        (!self.0.is_empty()).then(|| Message::Text(self.0.clone()))
    }
}
