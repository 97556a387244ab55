//! The one WebSocket of a page: it names the topics it wants to hear of, and hears their newest state.

mod frame;
mod message;
mod session;
mod topics;

pub(crate) use frame::Frame;
pub(crate) use session::connect;
