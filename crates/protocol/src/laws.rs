//! Laws of the message parsers on arbitrary lines, called by the fuzz target and by the tests.

use chess::{CastlingMode, Game};

use crate::{Command, Response};

const MODES: [CastlingMode; 2] = [CastlingMode::Standard, CastlingMode::Chess960];

/// Any line is refused, or is a message of GUI or engine that round-trips; the limits of a `go` and the game of a `position`
/// can be computed.
///
/// # Panics
/// If the law is broken.
pub fn check_message(line: &str) {
    if let Ok(parsed) = Command::parse(line) {
        let written = parsed.command.to_string();
        assert_eq!(
            written.parse::<Command>().ok().as_ref(),
            Some(&parsed.command),
            "{line:?} as {written:?}"
        );
        for mode in MODES {
            match &parsed.command {
                Command::Position(position) => drop(position.game(mode)),
                Command::Go(go) => drop(go.limits(&Game::default())),
                _ => {}
            }
        }
    }
    if let Ok(response) = line.parse::<Response>() {
        let written = response.to_string();
        assert_eq!(written.parse::<Response>().ok().as_ref(), Some(&response), "{line:?} as {written:?}");
    }
}
