//! The configuration file, with a source file for each of its sections.

mod challenges;
mod error;
mod matchmaking;
mod sections;

use serde::{Deserialize, Serialize};

pub use challenges::ChallengeConfig;
pub use error::ConfigError;
pub use matchmaking::MatchmakingConfig;
pub(crate) use sections::LONGEST_CHAT;
pub use sections::{ChatConfig, DrawConfig, GameConfig, PersonalConfig, ResignationConfig};

/// The default configuration as a file with comments; it parses to [`BotConfig::default`].
pub const DEFAULT_CONFIG: &str = include_str!("config.toml");

/// The whole configuration file. `config.toml` next to this file explains each key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "the types of the fields say it")]
pub struct BotConfig {
    pub challenges: ChallengeConfig,
    pub games: GameConfig,
    pub draws: DrawConfig,
    pub resignation: ResignationConfig,
    pub chat: ChatConfig,
    pub matchmaking: MatchmakingConfig,
    pub personal: PersonalConfig,
}

impl BotConfig {
    /// Reads a configuration; keys that are left out keep their defaults.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text)?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let refuse =
            |key, found: String, expected: &'static str| Err(ConfigError::Value { key, found, expected });
        if !(1..=100).contains(&self.games.concurrent) {
            return refuse("games.concurrent", self.games.concurrent.to_string(), "1 to 100");
        }
        for (key, share) in
            [("draws.margin", self.draws.margin), ("resignation.score", self.resignation.score)]
        {
            if !(0.0..=0.5).contains(&share) {
                return refuse(key, share.to_string(), "an expected score from 0 to 0.5");
            }
        }
        for (key, moves) in [("draws.moves", self.draws.moves), ("resignation.moves", self.resignation.moves)]
        {
            if moves == 0 {
                return refuse(key, "0".into(), "at least 1 move");
            }
        }
        for (key, text) in [("chat.greeting", &self.chat.greeting), ("chat.farewell", &self.chat.farewell)] {
            let letters = text.chars().count();
            if letters > LONGEST_CHAT {
                return refuse(key, format!("{letters} characters"), "at most 140, the limit of Lichess");
            }
        }
        let idle = self.matchmaking.idle_minutes;
        if !(idle.is_finite() && idle >= 0.0) {
            return refuse("matchmaking.idle_minutes", idle.to_string(), "minutes from 0");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chess::Speed;

    use super::*;

    #[test]
    fn the_commented_file_is_the_default_and_names_every_key() {
        assert_eq!(BotConfig::parse(DEFAULT_CONFIG).unwrap(), BotConfig::default());
        let written = toml::to_string(&BotConfig::default()).unwrap();
        let keys = written.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key);
        for key in keys {
            assert!(DEFAULT_CONFIG.contains(&format!("\n{key} = ")), "{key} is missing in config.toml");
        }
        assert_eq!(BotConfig::parse("").unwrap(), BotConfig::default());
    }

    #[test]
    fn speeds_have_hyphens() {
        let line = "speeds = [\"ultra-bullet\", \"bullet\", \"blitz\", \"rapid\", \"classical\"]";
        let config = BotConfig::parse(&format!("[challenges]\n{line}")).unwrap();
        let speeds = [Speed::UltraBullet, Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical];
        assert_eq!(config.challenges.speeds, speeds);
        assert!(toml::to_string(&config).unwrap().contains(line));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let refused = |text: &str| BotConfig::parse(text).unwrap_err().to_string();
        for (text, expected) in [
            ("[challenge]\naccept = true", "unknown field `challenge`"),
            ("[games]\nat_once = 3", "unknown field `at_once`"),
            ("[challenges]\nspeeds = [\"hyper\"]", "unknown variant `hyper`, expected one of `ultra-bullet`"),
            ("[challenges]\nspeeds = [\"ultra_bullet\"]", "unknown variant `ultra_bullet`"),
            ("[games]\nconcurrent = 0", "games.concurrent: found 0, expected 1 to 100"),
            ("[draws]\nmargin = 3.0", "draws.margin: found 3"),
            ("[resignation]\nmoves = 0", "resignation.moves: found 0"),
            ("[matchmaking]\nidle_minutes = -1.0", "matchmaking.idle_minutes"),
        ] {
            let message = refused(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
        let long = format!("[chat]\ngreeting = \"{}\"", "x".repeat(141));
        assert!(refused(&long).contains("141 characters"));
    }
}
