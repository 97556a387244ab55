//! The configuration file and its sections.

use std::path::PathBuf;

use chess::Speed;
use serde::{Deserialize, Serialize};

use crate::event::is_identifier;

/// Longest text that Lichess accepts in a chat.
pub(crate) const LONGEST_CHAT: usize = 140;

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
        // They become parts of request paths.
        if let Some(name) = self.matchmaking.opponents.iter().find(|name| !is_identifier(name)) {
            let expected = "names of accounts, of letters, digits, _ and -";
            return refuse("matchmaking.opponents", format!("{name:?}"), expected);
        }
        let idle = self.matchmaking.idle_minutes;
        if !(idle.is_finite() && idle >= 0.0) {
            return refuse("matchmaking.idle_minutes", idle.to_string(), "minutes from 0");
        }
        Ok(())
    }
}

fn refuse(key: &'static str, found: String, expected: &'static str) -> Result<(), ConfigError> {
    Err(ConfigError::Value { key, found, expected })
}

/// Why a text is not a configuration.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ConfigError {
    /// No TOML, an unknown key, or a value of another type; the message has line and column.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    #[error("{key}: found {found}, expected {expected}")]
    Value { key: &'static str, found: String, expected: &'static str },
}

/// Which challenges are accepted; the others are declined with a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the file that people switch on and off")]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ChallengeConfig {
    /// False declines every challenge; the other keys then have no effect.
    pub accept: bool,
    pub variants: Vec<Variant>,
    #[serde(with = "crate::speed")]
    pub speeds: Vec<Speed>,
    pub rated: bool,
    pub casual: bool,
    pub people: bool,
    pub bots: bool,
    /// Lowest rating of the challenger.
    pub min_rating: u32,
    /// Highest rating of the challenger.
    pub max_rating: u32,
    /// Minimum seconds on the clock.
    pub min_initial: u32,
    /// Maximum seconds on the clock.
    pub max_initial: u32,
    /// Minimum seconds added after a move.
    pub min_increment: u32,
    /// Maximum seconds added after a move.
    pub max_increment: u32,
    /// Names that are always declined.
    pub blocked: Vec<String>,
    /// Unless empty, the only names accepted.
    pub only: Vec<String>,
    /// Number of challenges that may wait for a game to end.
    pub queue: usize,
}

impl Default for ChallengeConfig {
    fn default() -> Self {
        Self {
            accept: true,
            variants: vec![Variant::Standard, Variant::Chess960, Variant::FromPosition],
            speeds: vec![Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical],
            rated: true,
            casual: true,
            people: true,
            bots: true,
            min_rating: 0,
            max_rating: 4000,
            min_initial: 0,
            max_initial: 1800,
            min_increment: 0,
            max_increment: 20,
            blocked: Vec::new(),
            only: Vec::new(),
            queue: 2,
        }
    }
}

/// The variants that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Variant {
    Standard,
    /// Chess with shuffled back ranks.
    Chess960,
    FromPosition,
}

impl Variant {
    /// The variant with this name in the API; `None` for variants that are other games.
    pub(crate) fn from_key(key: &str) -> Option<Self> {
        match key {
            "standard" => Some(Self::Standard),
            "chess960" => Some(Self::Chess960),
            "fromPosition" => Some(Self::FromPosition),
            _ => None,
        }
    }
}

/// Texts of chat messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChatConfig {
    /// Message at the start of a game; empty for none.
    pub greeting: String,
    /// Message at the end of a game; empty for none.
    pub farewell: String,
}

impl Default for ChatConfig {
    fn default() -> Self {
        Self {
            greeting: "Good luck, {opponent}! I am a neural network with a search.".into(),
            farewell: "Thank you for the game, {opponent}.".into(),
        }
    }
}

/// Conditions for offering, accepting and claiming draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct DrawConfig {
    pub offer: bool,
    pub accept: bool,
    /// Number of the first move at which it offers or accepts a draw.
    pub from_move: u32,
    /// Number of moves in a row that must be level.
    pub moves: usize,
    /// Largest distance of a level move's expected score from 0.5.
    pub margin: f32,
    /// Claim draws that the rules allow.
    pub claim: bool,
}

impl Default for DrawConfig {
    fn default() -> Self {
        Self { offer: true, accept: true, from_move: 35, moves: 6, margin: 0.03, claim: true }
    }
}

/// Limits and behaviour of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameConfig {
    /// Maximum number of games in parallel.
    pub concurrent: usize,
    /// Milliseconds reserved on every move in addition to the measured latency.
    pub move_overhead_ms: u64,
    /// Seconds to wait for the opponent's first move; 0 waits forever.
    pub abort_after: u64,
    /// Claim the win when the opponent has left.
    pub claim_victory: bool,
    /// True if opponents may take back moves in casual games.
    pub takebacks: bool,
}

impl Default for GameConfig {
    fn default() -> Self {
        Self { concurrent: 1, move_overhead_ms: 100, abort_after: 60, claim_victory: true, takebacks: false }
    }
}

/// The player whose games against the bot are kept for training a network that plays like that person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PersonalConfig {
    /// The person's name on Lichess; empty for nobody.
    pub player: String,
    /// The folder of the personal games.
    pub folder: PathBuf,
}

impl Default for PersonalConfig {
    fn default() -> Self {
        Self { player: String::new(), folder: "personal".into() }
    }
}

/// Conditions for resigning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ResignationConfig {
    pub enabled: bool,
    /// Number of the first move at which it resigns.
    pub from_move: u32,
    /// Number of moves in a row that must be lost.
    pub moves: usize,
    /// Highest expected score of a lost move.
    pub score: f32,
}

impl Default for ResignationConfig {
    fn default() -> Self {
        Self { enabled: false, from_move: 20, moves: 4, score: 0.02 }
    }
}

/// Challenges that the bot sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchmakingConfig {
    /// Challenge others while no game is in progress.
    pub enabled: bool,
    /// Names to challenge in turn; if empty, bots that are online are challenged.
    pub opponents: Vec<String>,
    /// Minutes without a game before the next challenge.
    pub idle_minutes: f64,
    /// Seconds on each clock at the start.
    pub initial: u32,
    /// Seconds added after each move.
    pub increment: u32,
    /// Rated games; false for casual ones.
    pub rated: bool,
}

impl Default for MatchmakingConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            opponents: Vec::new(),
            idle_minutes: 10.0,
            initial: 180,
            increment: 2,
            rated: false,
        }
    }
}

#[cfg(test)]
mod tests {
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
            ("[matchmaking]\nopponents = [\"Anna\", \"a/b\"]", "matchmaking.opponents: found \"a/b\""),
        ] {
            let message = refused(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
        let long = format!("[chat]\ngreeting = \"{}\"", "x".repeat(141));
        assert!(refused(&long).contains("141 characters"));
    }
}
