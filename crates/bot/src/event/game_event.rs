//! Events of a game.

use serde::Deserialize;

use crate::challenge::{Key, User};

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum GameEvent {
    GameFull(Box<GameFull>),
    GameState(GameState),
    OpponentGone(OpponentGone),
    #[serde(other)]
    Other,
}

/// The beginning of a game's stream: everything.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GameFull {
    pub(crate) id: String,
    pub(crate) variant: Key,
    #[serde(default)]
    pub(crate) speed: String,
    #[serde(default)]
    pub(crate) rated: bool,
    pub(crate) white: User,
    pub(crate) black: User,
    #[serde(default = "start")]
    pub(crate) initial_fen: String,
    pub(crate) clock: Option<GameClock>,
    pub(crate) state: GameState,
}

fn start() -> String {
    START.into()
}

/// The word that the API uses for the ordinary start position.
pub(crate) const START: &str = "startpos";

/// The clock of a game, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct GameClock {
    pub(crate) initial: u64,
    pub(crate) increment: u64,
}

/// State of a game. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the fields are those of the API")]
pub(crate) struct GameState {
    #[serde(default)]
    pub(crate) moves: String,
    #[serde(default)]
    pub(crate) wtime: u64,
    #[serde(default)]
    pub(crate) btime: u64,
    #[serde(default)]
    pub(crate) winc: u64,
    #[serde(default)]
    pub(crate) binc: u64,
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) winner: Option<String>,
    #[serde(default)]
    pub(crate) wdraw: bool,
    #[serde(default)]
    pub(crate) bdraw: bool,
    #[serde(default)]
    pub(crate) wtakeback: bool,
    #[serde(default)]
    pub(crate) btakeback: bool,
}

impl GameState {
    /// True if moves can still be made.
    pub(crate) fn is_running(&self) -> bool {
        is_running(&self.status)
    }
}

/// True if moves can be made in a game of this status.
pub(super) fn is_running(status: &str) -> bool {
    status == "created" || status == "started"
}

/// The opponent left or came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpponentGone {
    pub(crate) gone: bool,
    pub(crate) claim_win_in_seconds: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_may_grow() {
        let line = r#"{"type":"chatLine","username":"a","text":"hello","room":"player"}"#;
        assert_eq!(serde_json::from_str::<GameEvent>(line).unwrap(), GameEvent::Other);
    }

    #[test]
    fn a_game_without_a_clock_or_with_the_computer_is_read() {
        let text = r#"{"type":"gameFull","id":"g","variant":{"key":"standard"},"speed":"correspondence","white":{"aiLevel":3},
            "black":{"id":"me","name":"Me","title":"BOT","rating":1500},"initialFen":"startpos","clock":null,
            "state":{"type":"gameState","moves":"e2e4","status":"started"}}"#;
        let GameEvent::GameFull(full) = serde_json::from_str(text).unwrap() else { panic!("a gameFull") };
        assert!(full.clock.is_none() && full.white.id.is_empty() && full.state.is_running());
    }
}
