//! Events of the account.

use serde::Deserialize;
use serde_json::Value;

use super::game_event::is_running;
use crate::{
    account::{identifier, is_identifier},
    challenge::Challenge,
};

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

/// The end of a game.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_may_grow() {
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
}
