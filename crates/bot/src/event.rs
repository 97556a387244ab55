//! What the server sends about the account and about a game. Unused fields are not read and unknown kinds are skipped, so the API
//! may grow.

use chess::printable;
use serde::{Deserialize, Deserializer, de::Unexpected};
use serde_json::Value;

use crate::challenge::{Challenge, Key, User};

/// The account of the token.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) username: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
}

/// Maximum characters of an identifier; those of Lichess have 8 to 12.
const LONGEST_IDENTIFIER: usize = 32;

/// True if this names a game, challenge or account: identifiers become parts of request paths, where `../`
/// would change the request.
pub(crate) fn is_identifier(text: &str) -> bool {
    (1..=LONGEST_IDENTIFIER).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Reads an identifier sent by the server.
pub(crate) fn identifier<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if is_identifier(&text) {
        return Ok(text);
    }
    let expected = &"an identifier of letters, digits, _ and -";
    Err(serde::de::Error::invalid_value(Unexpected::Str(&printable(&text, &[])), expected))
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum AccountEvent {
    Challenge {
        challenge: Challenge,
    },
    ChallengeCanceled {
        challenge: Named,
    },
    ChallengeDeclined {
        challenge: Named,
    },
    GameStart {
        game: StartedGame,
    },
    GameFinish {
        game: StartedGame,
    },
    #[serde(other)]
    Other,
}

/// An object of which only the name is read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Named {
    #[serde(deserialize_with = "identifier")]
    pub(crate) id: String,
}

/// A game that begins or is over.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedGame {
    #[serde(default)]
    game_id: String,
    /// The id in older versions of the API; some servers send both.
    #[serde(default)]
    id: String,
    /// An object with the name of the status. Any value is read: without its end a game is over all the same.
    #[serde(default)]
    status: Value,
    #[serde(default)]
    winner: Value,
}

/// How a game ended, in the words of Lichess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameEnd {
    pub(crate) status: String,
    pub(crate) winner: Option<String>,
}

/// The status of Lichess for a game of which it does not know how it ended.
const UNKNOWN: &str = "unknownFinish";

impl StartedGame {
    /// The end of a game that is over.
    pub(crate) fn end(&self) -> GameEnd {
        let status = self.status["name"].as_str().filter(|status| !is_running(status)).unwrap_or(UNKNOWN);
        GameEnd { status: status.into(), winner: self.winner.as_str().map(str::to_owned) }
    }

    /// The game's name; `None` if the server sent no valid one.
    pub(crate) fn name(&self) -> Option<&str> {
        [&self.game_id, &self.id].into_iter().map(String::as_str).find(|name| is_identifier(name))
    }
}

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
fn is_running(status: &str) -> bool {
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
        let parsed = |text: &str| serde_json::from_str::<AccountEvent>(text).unwrap();
        assert_eq!(parsed(r#"{"type":"tournamentStart","anything":[1]}"#), AccountEvent::Other);
        for game in [
            r#"{"fullId":"x","gameId":"abcd","new":{"field":1}}"#,
            r#"{"id":"abcd"}"#,
            r#"{"gameId":"abcd","id":"abcd"}"#,
        ] {
            let event = parsed(&format!(r#"{{"type":"gameStart","game":{game},"compat":{{}}}}"#));
            let AccountEvent::GameStart { game } = event else { panic!("{event:?}") };
            assert_eq!(game.name(), Some("abcd"));
        }
    }

    #[test]
    fn the_end_of_a_game_is_read_as_far_as_it_is_told() {
        for (told, status, winner) in [
            (r#""status":{"id":31,"name":"resign"},"winner":"white""#, "resign", Some("white")),
            (r#""status":{"id":34,"name":"draw"}"#, "draw", None),
            (r#""status":{"id":20,"name":"started"}"#, "unknownFinish", None),
            (r#""status":31,"winner":null"#, "unknownFinish", None),
            (r#""color":"white""#, "unknownFinish", None),
        ] {
            let text = format!(r#"{{"type":"gameFinish","game":{{"gameId":"abcd",{told}}}}}"#);
            let AccountEvent::GameFinish { game } = serde_json::from_str(&text).unwrap() else {
                panic!("{text}")
            };
            assert_eq!(game.end(), GameEnd { status: status.into(), winner: winner.map(str::to_owned) });
        }
    }

    /// Defect N10: `/api/challenge/../../etc/accept` was requested.
    #[test]
    fn what_would_lead_to_another_path_is_no_identifier() {
        for id in ["../../etc", "", "a/b", "a b", "a\\n", "a?x=1", "a#", "%2e%2e", &"a".repeat(33)] {
            let challenge = format!(
                r#"{{"type":"challenge","challenge":{{"id":"{id}","challenger":{{}},"variant":{{"key":"standard"}},"timeControl":{{}}}}}}"#
            );
            assert!(serde_json::from_str::<AccountEvent>(&challenge).is_err(), "{id}");
            assert!(
                serde_json::from_str::<AccountEvent>(&challenge.replace(id, "abcd_EF-1")).is_ok()
                    || id.is_empty()
            );
            let game = format!(r#"{{"type":"gameStart","game":{{"gameId":"{id}"}}}}"#);
            let AccountEvent::GameStart { game } = serde_json::from_str(&game).unwrap() else {
                panic!("{id}")
            };
            assert_eq!(game.name(), None);
        }
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
