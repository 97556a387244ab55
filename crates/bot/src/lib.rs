//! Plays on Lichess through its Bot API: accepts challenges that fit a configuration, plays several games at a time under their
//! clocks, offers and accepts draws and resigns by rules, survives network failures, and keeps every game as PGN.
//!
//! Source of the protocol: <https://lichess.org/api#tag/Bot>. The caller supplies engines through
//! [`EngineFactory`] and receives events through [`LogObserver`]. `docs/bot.md` explains how to run it.
//!
//! # Examples
//! ```
//! use bot::BotConfig;
//!
//! assert_eq!(BotConfig::parse("").unwrap(), BotConfig::default());
//! let refused = BotConfig::parse("[challenges]\nspeeds = [\"hyper\"]").unwrap_err().to_string();
//! assert!(refused.contains("hyper"), "{refused}");
//! ```

mod bot;
mod challenge;
mod client;
pub mod config;
mod evaluation_history;
mod event;
mod game;
#[cfg(feature = "laws")]
pub mod laws;
mod lines;
mod log_event;
mod matchmaking;
mod settings;
mod speed;
mod token;

pub use bot::{Bot, BotError, StopRequest};
pub use client::{ApiError, Client};
pub use config::{BotConfig, ConfigError};
pub use log_event::{LogEvent, LogObserver};
pub use settings::{BotSettings, ConnectionSettings, EngineFactory, GameEngine, GameSetup};
pub use token::{Token, TokenError};
