//! The UCI engine, on any pair of byte streams.
//!
//! There are three kinds of threads: one reads the GUI's lines (`input`), one searches (a [`chess::Thinker`]), and the caller's
//! (`session`) gets the events of both through one channel. Only the caller's thread writes, so messages never mix and `stop` never
//! has to wait.

mod engine;
mod event;
mod input;
mod inspect;
mod options;
mod perft;
mod running;
mod session;

use std::io::{self, Read, Write};

use self::session::UciSession;

pub use engine::UciEngine;

impl UciEngine {
    /// Converses until `quit`, the end of the input, or a closed output. The thread that reads `input` is left behind, because
    /// a blocking read cannot be interrupted.
    ///
    /// # Errors
    /// Errors of reading `input` and of writing to `output`, except that it was closed.
    pub fn run(self, input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
        let mut session = UciSession::new(self, output);
        input::spawn(input, session.sender());
        session.run()
    }
}
