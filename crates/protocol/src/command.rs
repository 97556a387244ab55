//! Messages from GUI to engine.

use std::{fmt, str::FromStr};

use crate::{
    error::UciError,
    go::Go,
    position::PositionCommand,
    tokens::{Tokens, one_line, single_spaced},
};

/// A message from GUI to engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Command {
    /// Start of the handshake: the engine answers with `id`, its options and `uciok`.
    Uci,
    /// Requests `readyok` once everything before it is done; answered at once while a search runs.
    IsReady,
    /// The next position is from another game.
    UciNewGame,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// Name with single spaces between words; not case-sensitive.
        name: String,
        /// Everything after `value`; `None` for buttons.
        value: Option<String>,
    },
    /// Sets the position to search.
    Position(PositionCommand),
    Go(Box<Go>),
    /// Ends the search; the engine answers `bestmove`.
    Stop,
    /// The opponent played the expected move: pondering becomes a normal search.
    PonderHit,
    Quit,
    /// Switches additional `info string` output on or off.
    Debug(bool),
    /// Registers the user with an engine that requires it.
    Register(Registration),
    /// Draws the board (Stockfish's extension).
    Display,
    /// Evaluates the position without search (Stockfish's extension).
    Evaluate,
    /// Runs the benchmark, with this many nodes per position (Stockfish's extension).
    Bench(Option<u64>),
}

/// The argument of `register`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registration {
    /// The user will register later.
    Later,
    /// Name and code of the user.
    As {
        /// User name, words separated by single spaces.
        name: String,
        /// Registration code; empty if missing.
        code: String,
    },
}

/// A command and the tokens that the parser skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCommand {
    /// The command that was recognised.
    pub command: Command,
    /// Unknown or malformed parts, as found. The UCI description requires skipping them.
    pub ignored: Vec<String>,
}

/// Keywords that are recognised after unknown tokens (the description's example is "joho debug on"). The extensions `d`,
/// `eval` and `bench` are recognised only at the start of a line, because they are ordinary words.
const KEYWORDS: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "setoption",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
    "debug",
    "register",
];

impl Command {
    /// Reads one line.
    ///
    /// # Errors
    /// [`UciError`] if the line has no command, or one without a required part. A malformed limit of `go` is not an error but
    /// goes to [`ParsedCommand::ignored`], because the GUI waits for a `bestmove` in any case.
    pub fn parse(line: &str) -> Result<ParsedCommand, UciError> {
        let mut tokens = Tokens::new(line);
        match tokens.peek() {
            None => return Err(UciError::Empty),
            Some("d") => return Ok(ParsedCommand { command: Self::Display, ignored: Vec::new() }),
            Some("eval") => return Ok(ParsedCommand { command: Self::Evaluate, ignored: Vec::new() }),
            Some("bench") => return bench(tokens),
            Some(_) => {}
        }
        let skipped = tokens.text_until(|token| KEYWORDS.contains(&token));
        let Some(keyword) = tokens.next() else {
            return Err(UciError::Unknown { kind: "command", found: line.trim().into() });
        };
        let mut ignored: Vec<String> = skipped.split_whitespace().map(String::from).collect();
        let command = match keyword {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::UciNewGame,
            "setoption" => set_option(&mut tokens)?,
            "position" => Self::Position(PositionCommand::parse(&mut tokens, &mut ignored)?),
            "go" => Self::Go(Box::new(Go::parse(&mut tokens, &mut ignored))),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "quit" => Self::Quit,
            "debug" => debug(&mut tokens)?,
            _ => register(&mut tokens)?,
        };
        Ok(ParsedCommand { command, ignored })
    }
}

impl FromStr for Command {
    type Err = UciError;

    fn from_str(line: &str) -> Result<Self, UciError> {
        Self::parse(line).map(|parsed| parsed.command)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci => formatter.write_str("uci"),
            Self::IsReady => formatter.write_str("isready"),
            Self::UciNewGame => formatter.write_str("ucinewgame"),
            Self::SetOption { name, value: None } => write!(formatter, "setoption name {}", one_line(name)),
            Self::SetOption { name, value: Some(value) } => {
                write!(formatter, "setoption name {} value {}", one_line(name), one_line(value))
            }
            Self::Position(position) => position.fmt(formatter),
            Self::Go(go) => go.fmt(formatter),
            Self::Stop => formatter.write_str("stop"),
            Self::PonderHit => formatter.write_str("ponderhit"),
            Self::Quit => formatter.write_str("quit"),
            Self::Debug(on) => write!(formatter, "debug {}", if *on { "on" } else { "off" }),
            Self::Register(Registration::Later) => formatter.write_str("register later"),
            Self::Register(Registration::As { name, code }) => {
                write!(formatter, "register name {} code {}", one_line(name), one_line(code))
            }
            Self::Display => formatter.write_str("d"),
            Self::Evaluate => formatter.write_str("eval"),
            Self::Bench(None) => formatter.write_str("bench"),
            Self::Bench(Some(nodes)) => write!(formatter, "bench {nodes}"),
        }
    }
}

fn set_option(tokens: &mut Tokens<'_>) -> Result<Command, UciError> {
    if tokens.peek() != Some("name") {
        return Err(UciError::malformed("setoption", "name", tokens.rest()));
    }
    tokens.next();
    let name = single_spaced(tokens.text_until(|token| token == "value"));
    if name.is_empty() {
        return Err(UciError::malformed("setoption", "the option's name", tokens.rest()));
    }
    let value = tokens.next().map(|_value| one_line(tokens.rest()));
    Ok(Command::SetOption { name, value })
}

fn bench(mut tokens: Tokens<'_>) -> Result<ParsedCommand, UciError> {
    tokens.next();
    let nodes =
        match tokens.rest() {
            "" => None,
            number => Some(number.parse().map_err(|_not_a_number| {
                UciError::malformed("bench", "a number of nodes or nothing", number)
            })?),
        };
    Ok(ParsedCommand { command: Command::Bench(nodes), ignored: Vec::new() })
}

fn debug(tokens: &mut Tokens<'_>) -> Result<Command, UciError> {
    match tokens.next() {
        Some("on") => Ok(Command::Debug(true)),
        Some("off") => Ok(Command::Debug(false)),
        other => Err(UciError::malformed("debug", "on or off", other.unwrap_or_default())),
    }
}

fn register(tokens: &mut Tokens<'_>) -> Result<Command, UciError> {
    let all = tokens.rest();
    match tokens.next() {
        Some("later") => Ok(Command::Register(Registration::Later)),
        Some("name") => {
            let name = single_spaced(tokens.text_until(|token| token == "code"));
            let code = tokens.next().map(|_code| single_spaced(tokens.rest())).unwrap_or_default();
            Ok(Command::Register(Registration::As { name, code }))
        }
        _ => Err(UciError::malformed("register", "later or name", all)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_tokens_before_a_command_are_skipped_and_kept() {
        let parsed = Command::parse("  joho\tdebug   on ").unwrap();
        assert_eq!(parsed.command, Command::Debug(true));
        assert_eq!(parsed.ignored, ["joho"]);
    }

    #[test]
    fn option_names_have_spaces_and_values_keep_theirs() {
        let command: Command = "setoption  name Move  Overhead value  a  b ".parse().unwrap();
        assert_eq!(command, Command::SetOption { name: "Move Overhead".into(), value: Some("a  b".into()) });
        let command: Command = "setoption name Clear Hash".parse().unwrap();
        assert_eq!(command, Command::SetOption { name: "Clear Hash".into(), value: None });
        let command: Command = "setoption name SyzygyPath value".parse().unwrap();
        assert_eq!(command, Command::SetOption { name: "SyzygyPath".into(), value: Some(String::new()) });
    }

    #[test]
    fn errors_name_finding_and_expectation() {
        assert_eq!("".parse::<Command>(), Err(UciError::Empty));
        let message = |line: &str| line.parse::<Command>().unwrap_err().to_string();
        assert_eq!(message("hello world"), "unknown command \"hello world\"");
        assert_eq!(message("setoption Hash 3"), "setoption: expected name, found \"Hash 3\"");
        assert_eq!(
            message("setoption name value 3"),
            "setoption: expected the option's name, found \"value 3\""
        );
        assert_eq!(message("debug maybe"), "debug: expected on or off, found \"maybe\"");
        assert_eq!(message("register"), "register: expected later or name, found \"\"");
    }

    #[test]
    fn extensions_count_only_at_the_start() {
        assert_eq!("d".parse(), Ok(Command::Display));
        assert_eq!("eval".parse(), Ok(Command::Evaluate));
        assert_eq!("bench 500".parse(), Ok(Command::Bench(Some(500))));
        assert_eq!(Command::Bench(None).to_string().parse(), Ok(Command::Bench(None)));
        assert!("bench much".parse::<Command>().is_err());
        assert!("what d".parse::<Command>().is_err());
    }

    #[test]
    fn a_line_break_cannot_smuggle_a_second_command() {
        let command = Command::SetOption { name: "A\nquit".into(), value: Some("b\r\nquit".into()) };
        assert_eq!(command.to_string().lines().count(), 1);
    }
}
