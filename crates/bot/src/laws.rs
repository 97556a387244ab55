//! The law of the parsers on arbitrary bytes, for tests and fuzz targets.

use crate::{
    BotConfig,
    event::{AccountEvent, GameEvent},
    game::OngoingGame,
    lines::{Line, Lines},
};

/// Any bytes are a finite stream of lines, and each line is an event or an error. From any events of a game,
/// the board built is a legal game or an error.
///
/// # Panics
/// If the law is broken.
pub fn check_stream(bytes: &[u8]) {
    let mut lines = Lines::new(bytes);
    let mut ongoing: Option<OngoingGame> = None;
    loop {
        let line = lines.next().unwrap_or_else(|error| panic!("bytes in memory cannot fail: {error}"));
        let Some(line) = line else { break };
        let Line::Text(text) = line else { continue };
        // Refused or not: no panic.
        let _ = serde_json::from_str::<AccountEvent>(&text);
        match serde_json::from_str::<GameEvent>(&text) {
            Ok(GameEvent::GameFull(full)) => ongoing = OngoingGame::new(&full, "me").ok(),
            Ok(GameEvent::GameState(state)) => {
                if let Some(ongoing) = &mut ongoing
                    && ongoing.update(&state).is_ok()
                {
                    assert_eq!(ongoing.game().ply(), state.moves.split_whitespace().count());
                }
            }
            _ => {}
        }
    }
}

/// Any text is an error, or a configuration that is unchanged when it is written and read again.
///
/// # Panics
/// If the law is broken.
pub fn check_config(text: &str) {
    if let Ok(config) = BotConfig::parse(text) {
        let written = toml::to_string(&config).unwrap_or_else(|error| panic!("{config:?}: {error}"));
        assert_eq!(BotConfig::parse(&written).ok(), Some(config));
    }
}
