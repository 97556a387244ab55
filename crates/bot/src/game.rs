//! One game: the board as the server describes it, and the thread that plays.

mod latency;
mod ongoing_game;
mod play;
mod record;
mod respond;
mod stream;
mod way_out;

pub(crate) use ongoing_game::OngoingGame;
pub(crate) use play::{Ending, GamePlay, GameServices};
pub(crate) use stream::{Stream, StreamEnd, StreamItem};
