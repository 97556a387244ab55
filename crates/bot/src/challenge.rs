//! Challenges, and which of them are accepted.

use serde::Deserialize;

use crate::{
    config::{ChallengeConfig, Variant},
    speed,
};

/// A challenge as the API sends it, without the fields that are not needed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Challenge {
    #[serde(deserialize_with = "crate::event::identifier")]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) status: String,
    pub(crate) challenger: User,
    pub(crate) variant: Key,
    #[serde(default)]
    pub(crate) rated: bool,
    #[serde(default)]
    pub(crate) speed: String,
    pub(crate) time_control: TimeControl,
    /// What the game does not allow, such as `noAbort`.
    #[serde(default)]
    pub(crate) rules: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct User {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) rating: Option<u32>,
}

impl User {
    pub(crate) fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

/// An object that the API names by a key.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Key {
    pub(crate) key: String,
}

/// The clock of a challenge; without one, `limit` is missing.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct TimeControl {
    pub(crate) limit: Option<u32>,
    #[serde(default)]
    pub(crate) increment: u32,
}

impl Challenge {
    /// Challenger and conditions, for logs.
    pub(crate) fn describe(&self) -> String {
        let User { name, rating, title, .. } = &self.challenger;
        let title = title.as_ref().map(|title| format!("{title} ")).unwrap_or_default();
        let rating = rating.map(|rating| format!(" ({rating})")).unwrap_or_default();
        let clock = match self.time_control {
            TimeControl { limit: Some(limit), increment } => format!("{limit}+{increment}"),
            TimeControl { limit: None, .. } => "no clock".into(),
        };
        let mode = if self.rated { "rated" } else { "casual" };
        format!("{title}{name}{rating}, {mode} {} {clock}", self.variant.key)
    }
}

/// True if `names`, as people write them in the configuration, contain this account. The API's ids are lower case, its names are not.
fn lists(names: &[String], user: &User) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(&user.id) || name.eq_ignore_ascii_case(&user.name))
}

/// Why a challenge is declined: a value of the parameter `reason` of the API's `decline`. `None` accepts.
pub(crate) fn refusal(challenge: &Challenge, config: &ChallengeConfig) -> Option<&'static str> {
    let challenger = &challenge.challenger;
    let variant = Variant::from_key(&challenge.variant.key);
    let speed = speed::from_key(&challenge.speed);
    let rating = challenger.rating.unwrap_or_default();
    let TimeControl { limit, increment } = challenge.time_control;
    // The first broken rule gives the reason: rules about the account come before those about the game.
    let rules = [
        (!config.accept || lists(&config.blocked, challenger), "generic"),
        (!config.only.is_empty() && !lists(&config.only, challenger), "generic"),
        (challenger.is_bot() && !config.bots, "noBot"),
        (!challenger.is_bot() && !config.people, "onlyBot"),
        (variant.is_none_or(|variant| !config.variants.contains(&variant)), "variant"),
        (limit.is_none(), "timeControl"),
        (
            limit.is_some_and(|limit| limit > config.max_initial) || increment > config.max_increment,
            "tooSlow",
        ),
        (
            limit.is_some_and(|limit| limit < config.min_initial) || increment < config.min_increment,
            "tooFast",
        ),
        (speed.is_none_or(|speed| !config.speeds.contains(&speed)), "timeControl"),
        (challenge.rated && !config.rated, "casual"),
        (!challenge.rated && !config.casual, "rated"),
        // Without aborting, an opponent who never moves could keep the game open for ever.
        (challenge.rules.iter().any(|rule| rule == "noAbort"), "generic"),
        (!(config.min_rating..=config.max_rating).contains(&rating), "generic"),
    ];
    rules.iter().find(|(broken, _)| *broken).map(|&(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(change: &str) -> Challenge {
        let mut json: serde_json::Value = serde_json::from_str(
            r#"{"id":"abc","status":"created","challenger":{"id":"anna","name":"Anna","title":null,"rating":1500},
                "variant":{"key":"standard"},"rated":true,"speed":"blitz","timeControl":{"type":"clock","limit":300,"increment":3}}"#,
        )
        .unwrap();
        let change: serde_json::Value = serde_json::from_str(change).unwrap();
        for (key, value) in change.as_object().unwrap() {
            json[key] = value.clone();
        }
        serde_json::from_value(json).unwrap()
    }

    fn config(text: &str) -> ChallengeConfig {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_defaults_take_people_and_bots_with_a_clock() {
        let defaults = ChallengeConfig::default();
        for change in [
            "{}",
            r#"{"rated":false}"#,
            r#"{"rules":["noRematch","noGiveTime","noClaimWin","noEarlyDraw","newRule"]}"#,
            r#"{"variant":{"key":"chess960"}}"#,
            r#"{"challenger":{"id":"robot","name":"Robot","title":"BOT","rating":3000}}"#,
            r#"{"speed":"bullet","timeControl":{"type":"clock","limit":0,"increment":1}}"#,
        ] {
            assert_eq!(refusal(&challenge(change), &defaults), None, "{change}");
        }
        for (change, reason) in [
            (r#"{"variant":{"key":"atomic"}}"#, "variant"),
            (r#"{"rules":["noRematch","noAbort"]}"#, "generic"),
            (
                r#"{"speed":"correspondence","timeControl":{"type":"correspondence","daysPerTurn":2}}"#,
                "timeControl",
            ),
            (r#"{"speed":"correspondence","timeControl":{"type":"unlimited"}}"#, "timeControl"),
            (
                r#"{"speed":"ultraBullet","timeControl":{"type":"clock","limit":15,"increment":0}}"#,
                "timeControl",
            ),
            (
                r#"{"speed":"classical","timeControl":{"type":"clock","limit":10800,"increment":0}}"#,
                "tooSlow",
            ),
            (r#"{"timeControl":{"type":"clock","limit":60,"increment":60}}"#, "tooSlow"),
        ] {
            assert_eq!(refusal(&challenge(change), &defaults), Some(reason), "{change}");
        }
    }

    #[test]
    fn every_key_of_the_file_has_its_effect() {
        let robot = r#"{"challenger":{"id":"robot","name":"Robot","title":"BOT","rating":3000}}"#;
        for (settings, change, reason) in [
            ("accept = false", "{}", "generic"),
            ("blocked = [\"ANNA\"]", "{}", "generic"),
            ("only = [\"berta\"]", "{}", "generic"),
            ("bots = false", robot, "noBot"),
            ("people = false", "{}", "onlyBot"),
            ("variants = [\"chess960\"]", "{}", "variant"),
            ("speeds = [\"rapid\"]", "{}", "timeControl"),
            ("rated = false", "{}", "casual"),
            ("casual = false", r#"{"rated":false}"#, "rated"),
            ("min_rating = 1600", "{}", "generic"),
            ("max_rating = 1400", "{}", "generic"),
            ("min_initial = 600", "{}", "tooFast"),
            ("max_initial = 60", "{}", "tooSlow"),
            ("min_increment = 5", "{}", "tooFast"),
            ("max_increment = 2", "{}", "tooSlow"),
        ] {
            assert_eq!(refusal(&challenge(change), &config(settings)), Some(reason), "{settings}");
        }
        assert_eq!(refusal(&challenge("{}"), &config("only = [\"anna\"]")), None);
        assert_eq!(refusal(&challenge(robot), &config("people = false")), None);
    }

    #[test]
    fn a_description_names_player_mode_variant_and_clock() {
        assert_eq!(challenge("{}").describe(), "Anna (1500), rated standard 300+3");
    }
}
