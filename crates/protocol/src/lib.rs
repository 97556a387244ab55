//! The UCI protocol for both ends: messages of a GUI ([`Command`]), messages of an engine ([`Response`]), and engines as
//! child processes ([`UciProcess`]).
//!
//! Source of the grammar: "Description of the universal chess interface (UCI)", Stefan Meyer-Kahlen, April 2006, with the
//! extensions of Stockfish and lc0 (`wdl`, `go perft`, `d`, `eval`). As the description requires, the parser accepts any white
//! space and skips unknown tokens; it returns them so that an engine can report them. It never panics.
//!
//! # Examples
//! ```
//! use protocol::Command;
//!
//! let parsed = Command::parse("go nodes 800 quickly")?;
//! assert!(matches!(&parsed.command, Command::Go(go) if go.nodes == Some(800)));
//! assert_eq!(parsed.ignored, ["quickly"]);
//! # Ok::<_, protocol::UciError>(())
//! ```

pub mod command;
pub mod error;
pub mod go;
pub mod info;
#[cfg(feature = "laws")]
pub mod laws;
pub mod option;
pub mod position;
pub mod process;
pub mod response;
mod tokens;

pub use command::{Command, ParsedCommand, Registration};
pub use error::UciError;
pub use go::Go;
pub use info::{Bound, Info, InfoScore, PermilleWdl};
pub use option::{OptionDeclaration, OptionError, OptionKind, OptionValue};
pub use position::{PositionCommand, PositionCommandError, StartPosition};
pub use process::{Answer, Timeouts, UciProcess, UciProcessConfig, UciProcessError};
pub use response::{Response, Status};
