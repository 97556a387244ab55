//! The WebSocket of a page: it subscribes to topics and receives their newest states.

mod frame;
mod message;
mod session;
mod topics;

pub(crate) use frame::Frame;
pub(crate) use session::connect;
