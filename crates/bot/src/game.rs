//! One game: the board as the server tells it, and the thread that plays.

mod latency;
mod play;
mod record;
mod respond;
mod stream;
mod table;

pub(crate) use play::{GamePlay, GameServices};
pub(crate) use stream::{Stream, StreamEnd, StreamItem};
pub(crate) use table::Table;
