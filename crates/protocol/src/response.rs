//! Messages from engine to GUI.

use std::{fmt, str::FromStr};

use chess::shakmaty::uci::UciMove;

use crate::{
    error::UciError,
    info::Info,
    option::OptionDeclaration,
    tokens::{Tokens, one_line, single_spaced},
};

/// A message from engine to GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Response {
    /// `id name`: the engine's name and version.
    IdName(String),
    IdAuthor(String),
    /// `option name NAME type TYPE ...`.
    Option(OptionDeclaration),
    /// End of the handshake.
    UciOk,
    /// Everything sent before `isready` is done.
    ReadyOk,
    /// End of a search.
    BestMove {
        /// The move; `None` (written `0000`, also read from `(none)`) if there is no legal one.
        best: Option<UciMove>,
        /// Reply that the engine expects, on which the GUI may let it ponder.
        ponder: Option<UciMove>,
    },
    /// Progress of a search.
    Info(Box<Info>),
    CopyProtection(Status),
    Registration(Status),
}

/// State of copy protection and registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Status {
    Checking,
    Ok,
    Error,
}

impl FromStr for Response {
    type Err = UciError;

    /// Reads one line. The keyword must be at its start, because engines print all sorts of text.
    fn from_str(line: &str) -> Result<Self, UciError> {
        let mut tokens = Tokens::new(line);
        match tokens.next().ok_or(UciError::Empty)? {
            "id" => match tokens.next() {
                Some("name") => Ok(Self::IdName(single_spaced(tokens.rest()))),
                Some("author") => Ok(Self::IdAuthor(single_spaced(tokens.rest()))),
                other => Err(UciError::malformed("id", "name or author", other.unwrap_or_default())),
            },
            "option" => OptionDeclaration::parse(&mut tokens).map(Self::Option),
            "uciok" => Ok(Self::UciOk),
            "readyok" => Ok(Self::ReadyOk),
            "bestmove" => best_move(&mut tokens),
            "info" => Ok(Self::Info(Box::new(Info::parse(&mut tokens)))),
            "copyprotection" => status("copyprotection", &mut tokens).map(Self::CopyProtection),
            "registration" => status("registration", &mut tokens).map(Self::Registration),
            _ => Err(UciError::Unknown { kind: "response", found: line.trim().into() }),
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdName(name) => write!(formatter, "id name {}", one_line(name)),
            Self::IdAuthor(author) => write!(formatter, "id author {}", one_line(author)),
            Self::Option(declaration) => declaration.fmt(formatter),
            Self::UciOk => formatter.write_str("uciok"),
            Self::ReadyOk => formatter.write_str("readyok"),
            Self::BestMove { best, ponder } => {
                write!(formatter, "bestmove {}", best.unwrap_or(UciMove::Null))?;
                ponder.map_or(Ok(()), |ponder| write!(formatter, " ponder {ponder}"))
            }
            Self::Info(info) => info.fmt(formatter),
            Self::CopyProtection(status) => write!(formatter, "copyprotection {status}"),
            Self::Registration(status) => write!(formatter, "registration {status}"),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Checking => "checking",
            Self::Ok => "ok",
            Self::Error => "error",
        })
    }
}

/// What a `bestmove` must name.
const A_MOVE: &str = "a move such as e2e4";

fn best_move(tokens: &mut Tokens<'_>) -> Result<Response, UciError> {
    let best = match tokens.next() {
        Some("0000" | "(none)" | "NULL") => None,
        Some(token) => {
            let chess_move = token.parse();
            Some(chess_move.map_err(|_not_a_move| UciError::malformed("bestmove", A_MOVE, token))?)
        }
        None => return Err(UciError::malformed("bestmove", A_MOVE, "")),
    };
    // A malformed ponder move is ignored: "bestmove e2e4 ponder (none)" is common.
    let ponder = match tokens.next() {
        Some("ponder") => tokens.parse().filter(|uci_move| *uci_move != UciMove::Null),
        _ => None,
    };
    Ok(Response::BestMove { best, ponder })
}

fn status(message: &'static str, tokens: &mut Tokens<'_>) -> Result<Status, UciError> {
    match tokens.next() {
        Some("checking") => Ok(Status::Checking),
        Some("ok") => Ok(Status::Ok),
        Some("error") => Ok(Status::Error),
        other => Err(UciError::malformed(message, "checking, ok or error", other.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_moves_of_real_engines_are_read() {
        let best = |line: &str| match line.parse() {
            Ok(Response::BestMove { best, ponder }) => {
                (best.map(|best| best.to_string()), ponder.map(|ponder| ponder.to_string()))
            }
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(best("bestmove e2e4 ponder e7e5"), (Some("e2e4".into()), Some("e7e5".into())));
        assert_eq!(best("bestmove  a7a8q"), (Some("a7a8q".into()), None));
        assert_eq!(best("bestmove (none)"), (None, None));
        assert_eq!(best("bestmove 0000"), (None, None));
        assert_eq!(best("bestmove e2e4 ponder (none)"), (Some("e2e4".into()), None));
    }

    #[test]
    fn errors_say_what_was_found() {
        let message = |line: &str| line.parse::<Response>().unwrap_err().to_string();
        assert_eq!(message("bestmove e9e4"), "bestmove: expected a move such as e2e4, found \"e9e4\"");
        assert_eq!(message("Stockfish 15.1 by ..."), "unknown response \"Stockfish 15.1 by ...\"");
        assert_eq!(
            message("registration maybe"),
            "registration: expected checking, ok or error, found \"maybe\""
        );
    }
}
