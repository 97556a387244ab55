//! The UCI engine, on any pair of byte streams.
//!
//! Three kinds of threads: one reads the GUI's lines (`input`), one searches (a [`chess::Thinker`]), and the caller's (`session`) gets the
//! events of both through one channel and is the only one that writes, so that messages never mix and `stop` is never waited for.

mod event;
mod input;
mod inspect;
mod options;
mod perft;
mod running;
mod session;

use std::io::{self, Read, Write};

use search::SearchKind;
use strength::StrengthTable;

use self::session::Session;
use crate::{
    error::OpenError,
    evaluators::{Computation, OpenedEvaluator, open_evaluator},
    levels::levels,
    search_setup::SearchSetup,
};

/// An engine before its conversation with a GUI.
pub struct UciEngine {
    evaluator: OpenedEvaluator,
    computation: Computation,
    setup: SearchSetup,
    kind: &'static SearchKind,
    strength: Option<StrengthTable>,
}

impl UciEngine {
    /// Opens a network by name, with the levels at which it can be played against.
    ///
    /// # Errors
    /// [`OpenError`] if the network or its strength table cannot be used.
    pub fn open(
        net: &str,
        computation: Computation,
        kind: &'static SearchKind,
        setup: SearchSetup,
    ) -> Result<Self, OpenError> {
        let evaluator = open_evaluator(net, computation)?;
        Ok(Self { evaluator, computation, setup, kind, strength: levels(net)? })
    }

    /// Converses until `quit`, the end of the input, or a closed output. The thread that reads `input` is left behind, because
    /// a blocking read cannot be interrupted.
    ///
    /// # Errors
    /// Errors of writing to `output`.
    pub fn run(self, input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
        let mut session = Session::new(self, output);
        input::spawn(input, session.sender());
        session.run()
    }
}
