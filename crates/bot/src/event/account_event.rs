//! Events of the account.

use serde::Deserialize;

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
}

impl StartedGame {
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
