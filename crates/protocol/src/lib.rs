//! The UCI protocol, both ends: what a GUI says ([`Command`]), what an engine answers ([`Response`]), and any engine as
//! a child process ([`UciProcess`]).
//!
//! Source of the grammar: "Description of the universal chess interface (UCI)", Stefan Meyer-Kahlen, April 2006, with
//! what Stockfish and lc0 added since (`wdl`, `go perft`, `d`, `eval`). Parsing is as lenient as the description asks
//! (any white space, unknown tokens skipped) and never panics; what was skipped is kept, so that an engine can say so.

pub mod command;
pub mod error;
pub mod go;
pub mod info;
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
