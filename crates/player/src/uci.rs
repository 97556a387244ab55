//! The UCI engine, on any pair of byte streams.
//!
//! There are three kinds of threads: one reads the GUI's lines (`input`), one searches (a [`chess::Thinker`]), and the caller's
//! (`session`) gets the events of both through one channel. Only the caller's thread writes, so messages never mix and `stop` never
//! has to wait.

mod input;
mod inspect;
mod options;
mod perft;
mod running;
mod session;

use std::io::{self, Read, Write};

use chess::{SearchInfo, Thought};
use network::Precision;
use search::SearchKind;
use strength::StrengthTable;

use self::session::UciSession;
use crate::{
    error::OpenError,
    evaluators::{OpenedEvaluator, open_evaluator},
    levels::levels,
    search_setup::SearchSetup,
    specification::PlayerSpecification,
};

/// Something the conversation reacts to.
enum Event {
    /// The GUI wrote a line.
    Line(String),
    /// The GUI wrote a line longer than anything in UCI.
    OverlongLine,
    /// The GUI closed its end.
    EndOfInput,
    /// The GUI's lines can no longer be read.
    ReadFailed(io::Error),
    /// The search with this number has news.
    Report(u64, Box<SearchInfo>),
    /// The search with this number is over.
    SearchEnded(u64, Box<Thought>),
    /// A line of `go perft`.
    PerftLine(String),
    PerftEnded,
}

/// An engine before its conversation with a GUI.
pub struct UciEngine {
    evaluator: OpenedEvaluator,
    precision: Option<Precision>,
    setup: SearchSetup,
    /// The search that the user has chosen instead of the player's own.
    chosen: Option<&'static SearchKind>,
    player: PlayerSpecification,
    strength: Option<StrengthTable>,
}

impl UciEngine {
    /// Opens the player that a name stands for, with its levels. `search` and `options`, by names and values,
    /// replace those of the player.
    ///
    /// # Errors
    /// [`OpenError`] if the network, its strength table or an option cannot be used.
    pub fn open(
        net: &str,
        precision: Option<Precision>,
        search: Option<&'static SearchKind>,
        options: &[(String, String)],
    ) -> Result<Self, OpenError> {
        let player = PlayerSpecification::of_net(net, search);
        let setup = SearchSetup::new(&player.options_with(options))?;
        let evaluator = open_evaluator(net, precision)?;
        Ok(Self { evaluator, precision, setup, chosen: search, player, strength: levels(net)? })
    }

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
