//! What every reader of messages must survive: any line at all. The fuzz targets and the tests call the same function.

use chess::{CastlingMode, Game};

use crate::{Command, Response};

const MODES: [CastlingMode; 2] = [CastlingMode::Standard, CastlingMode::Chess960];

/// A line read as a message from a GUI or from an engine is refused, or read into a message that is written and read back
/// unchanged; the limits of a `go` and the game of a `position` can be asked for.
///
/// # Panics
/// When that does not hold.
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
