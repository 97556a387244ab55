//! Events that the server sends, about the account and about a game. Unused fields are not read and unknown kinds are skipped, so
//! the API may grow.

mod account_event;
mod game_event;

pub(crate) use self::{
    account_event::{AccountEvent, GameEnd},
    game_event::{GameEvent, GameFull, GameState, START},
};
