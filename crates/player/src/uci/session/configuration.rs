//! The GUI's questions about the engine, and its options.

use std::io::{self, Write};

use chess::{Game, Limits, SearchError, StopSignal, Thinker};
use protocol::Response;
use search::SEARCHES;

use super::{UciSession, program};
use crate::uci::options::FollowUp;

/// Visits of the search that warms the engine up: enough for batches of the usual size.
const WARM_UP_NODES: u64 = 64;

impl<W: Write> UciSession<W> {
    pub(super) fn introduce(&mut self) -> io::Result<()> {
        self.output.say(&Response::IdName(program()))?;
        self.output.say(&Response::IdAuthor("the Tabiya authors".into()))?;
        let options: Vec<Response> =
            self.settings.declarations().map(|option| Response::Option(option.clone())).collect();
        options.iter().try_for_each(|option| self.output.say(option))?;
        self.output.say(&Response::UciOk)
    }

    /// Answers `isready`: at once during a search. Otherwise applies changed options first, which may clear
    /// and allocate the search's memory, and evaluates first batches, so that the first `go` does not have
    /// to.
    pub(super) fn answer_ready(&mut self) -> io::Result<()> {
        if self.running.is_some() {
            return self.output.say(&Response::ReadyOk);
        }
        let (options, level) = self.settings.effective_search();
        self.change_player(level)?;
        self.resting_search(&options).set_options(&options);
        if !self.warm {
            // The first batches of a network are slow: memory is touched for the first time, and threads are started. A GUI starts the
            // clock only after `readyok`, so this is the time to pay for it. The searched game is forgotten again below.
            let limits = Limits { nodes: Some(WARM_UP_NODES), ..Limits::default() };
            let thinker = Thinker { game: Game::default(), limits, stop: StopSignal::default() };
            let warmed = thinker.ask(self.resting_search(&options).as_mut(), &mut |_| {});
            if matches!(warmed, Err(SearchError::Panicked(_))) {
                self.search = None;
            }
            self.warm = true;
            self.begin_game(&options);
            if let Err(error) = warmed {
                self.output.say_error(&error)?;
            }
        }
        self.output.say(&Response::ReadyOk)
    }

    pub(super) fn new_game(&mut self) -> io::Result<()> {
        self.end_running()?;
        let (options, level) = self.settings.effective_search();
        self.change_player(level)?;
        self.begin_game(&options);
        Ok(())
    }

    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        match self.settings.set(name, value) {
            Ok(FollowUp::Done) => Ok(()),
            Ok(FollowUp::Say(text)) => self.output.say_text(&text),
            Ok(FollowUp::ClearHash) => self.new_game(),
            Ok(FollowUp::OpenNetwork(net)) => self.open_network(&net),
            Ok(FollowUp::OpenTables(folders)) => self.open_tables(&folders),
            Ok(FollowUp::OpenBook(file)) => self.open_book(&file),
            Err(error) => self.output.say_error(&error),
        }
    }

    /// The network, its arithmetic, and the search if it is not the default one.
    pub(super) fn described(&self) -> String {
        let network = format!("network {}: {}", self.evaluator.net, self.evaluator.describe());
        if self.player.search.name == SEARCHES[0].name {
            network
        } else {
            format!("{network}, search {}", self.player.search.name)
        }
    }
}
