//! Games between a person and an engine. They live on the server: a reload, a second tab or a phone sees the same game.

mod clock;
mod ending;
mod game_list;
mod hint_view;
mod record;
mod refusal;
mod registry;
mod session;
mod settings;
mod state;
mod store;
mod thinking;
mod view;

pub(crate) use game_list::GameList;
pub(crate) use hint_view::HintView;
pub(crate) use refusal::GameRefusal;
pub(crate) use registry::GameRegistry;
pub(crate) use session::{GameServices, GameSession};
pub(crate) use settings::{NewGame, NewGameError};
pub(crate) use store::Store;
pub(crate) use view::{ColorView, GameView};
