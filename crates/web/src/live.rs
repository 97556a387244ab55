//! The WebSocket of a page: it subscribes to topics and receives their newest states.

mod message;
mod session;
mod topics;

pub(crate) use session::connect;
