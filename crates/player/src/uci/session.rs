//! The conversation with the GUI.
//!
//! # Rules
//! 1. Every `go` is answered by exactly one `bestmove` (except `go perft`, which is not a search), also after
//!    errors.
//! 2. Only this thread writes; it never waits for a search except to end it.
//! 3. A malformed or failing command is answered by `info string` and changes nothing. Exception: after a
//!    refused `position` there is no position to search until the next valid one, because the last valid
//!    position is not the GUI's.

mod configuration;
mod files;
mod searches;

use std::{
    collections::VecDeque,
    io::{self, Write},
    ops::ControlFlow,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
};

use chess::{CastlingMode, Evaluator, Game, PolyglotBook, Search, StopSignal, Tablebases};
use network::Precision;
use protocol::{Command, Info, ParsedCommand, PositionCommand, Response, UciError};
use search::SearchKind;

use super::{Event, UciEngine, inspect, options::UciSettings, running::Running};
use crate::{evaluators::OpenedEvaluator, specification::PlayerSpecification};

/// Error of commands that need the refused position.
const REFUSED: &str = "error: the last position command was refused; a new one is needed";

/// Answers and `info string` lines, each complete and sent at once.
struct Output<W>(W);

impl<W: Write> Output<W> {
    fn say(&mut self, response: &Response) -> io::Result<()> {
        self.write_line(&response.to_string())
    }

    fn say_text(&mut self, text: &str) -> io::Result<()> {
        self.say(&Response::Info(Box::new(Info::text(text))))
    }

    fn say_lines(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.say_text(line))
    }

    fn say_error(&mut self, error: &impl std::fmt::Display) -> io::Result<()> {
        self.say_text(&format!("error: {error}"))
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.0, "{line}")?;
        self.0.flush()
    }
}

/// Name and version, for `id name`.
fn program() -> String {
    format!("Tabiya {}", env!("CARGO_PKG_VERSION"))
}

/// The state of the conversation.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them can be true together"
)]
pub(super) struct UciSession<W> {
    output: Output<W>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// Events that arrived while a search was being ended.
    backlog: VecDeque<Event>,
    settings: UciSettings,
    evaluator: OpenedEvaluator,
    precision: Option<Precision>,
    /// `None` while a search thread has it.
    search: Option<Box<dyn Search>>,
    /// The player that the network's name stands for: its search, its limits and its options.
    player: PlayerSpecification,
    /// The search that the user has chosen instead of the player's own.
    chosen: Option<&'static SearchKind>,
    /// The network that plays like people, opened when a level needs it.
    imitator: Option<Arc<dyn Evaluator>>,
    /// True if `search` is that network's.
    imitates: bool,
    /// True if `search` has searched, so the first `go` finds memory and evaluator ready.
    warm: bool,
    tables: Option<Arc<Tablebases>>,
    book: Option<Arc<PolyglotBook>>,
    running: Option<Running>,
    /// Number of `go` commands so far.
    searches: u64,
    /// The last good position.
    game: Game,
    /// True if the GUI's position is another, which was refused.
    refused: bool,
    debug: bool,
}

impl<W: Write> UciSession<W> {
    pub(super) fn new(engine: UciEngine, output: W) -> Self {
        let (sender, events) = channel();
        let UciEngine { evaluator, precision, setup, chosen, player, strength } = engine;
        Self {
            output: Output(output),
            sender,
            events,
            backlog: VecDeque::new(),
            settings: UciSettings::new(&evaluator.net, setup.options, strength),
            evaluator,
            precision,
            search: None,
            player,
            chosen,
            imitator: None,
            imitates: false,
            warm: false,
            tables: setup.tables,
            book: setup.book,
            running: None,
            searches: 0,
            game: Game::default(),
            refused: false,
            debug: false,
        }
    }

    /// Channel for the thread that reads the GUI's lines.
    pub(super) fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Converses until `quit`, the end of the input, or a closed output.
    pub(super) fn run(&mut self) -> io::Result<()> {
        match self.converse() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                if let Some(running) = &self.running {
                    running.stop.stop();
                }
                Ok(())
            }
            other => other,
        }
    }

    fn converse(&mut self) -> io::Result<()> {
        self.output.say_text(&format!("{}, {}", program(), self.described()))?;
        loop {
            let event = match self.backlog.pop_front() {
                Some(event) => event,
                // The session keeps a sender, so the channel cannot close.
                None => self.events.recv().unwrap_or(Event::EndOfInput),
            };
            if self.handle(event)?.is_break() {
                return self.leave();
            }
        }
    }

    fn handle(&mut self, event: Event) -> io::Result<ControlFlow<()>> {
        match event {
            Event::Line(line) => return self.line(&line),
            Event::OverlongLine => {
                // Only a position could be as long.
                self.refused = true;
                self.output.say_text("error: a line of more than a MiB was skipped")?;
            }
            Event::EndOfInput => return Ok(ControlFlow::Break(())),
            Event::ReadFailed(error) => return self.input_failed(&error),
            Event::Report(number, report) if self.is_running(number) => self.report(&report)?,
            Event::SearchEnded(number, thought) if self.is_running(number) => self.search_ended(*thought)?,
            // Events of an abandoned search.
            Event::Report(..) | Event::SearchEnded(..) => {}
            Event::PerftLine(line) => self.output.write_line(&line)?,
            Event::PerftEnded => self.running = None,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Answers the running command, and ends the session with an error, because the GUI did not end it.
    fn input_failed(&mut self, error: &io::Error) -> io::Result<ControlFlow<()>> {
        let reason = format!("the input cannot be read: {error}");
        self.output.say_text(&format!("error: {reason}"))?;
        self.leave()?;
        Err(io::Error::other(reason))
    }

    fn line(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        match Command::parse(line) {
            Ok(ParsedCommand { command, ignored }) => {
                if !ignored.is_empty() {
                    self.output.say_text(&format!("ignored: {}", ignored.join(" ")))?;
                }
                self.obey(command)
            }
            Err(UciError::Empty) => Ok(ControlFlow::Continue(())),
            Err(error) => {
                // Like a position that breaks the rules: to search the last good one would answer a question that was not asked.
                self.refused |= matches!(error, UciError::Malformed { message: "position", .. });
                self.output.say_error(&error)?;
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// The position of the next searches. A refused one leaves the last good one to `d`.
    fn position(&mut self, position: &PositionCommand) -> io::Result<()> {
        let given = position.game(self.settings.castling_mode);
        self.refused = given.is_err();
        match given {
            Ok((game, dropped)) => {
                self.game = game;
                if dropped.is_empty() {
                    Ok(())
                } else {
                    self.output.say_text(&dropped_rights(&dropped, self.settings.castling_mode))
                }
            }
            Err(error) => self.output.say_error(&error),
        }
    }

    fn obey(&mut self, command: Command) -> io::Result<ControlFlow<()>> {
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => self.answer_ready()?,
            Command::UciNewGame => self.new_game()?,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position(position) => self.position(&position)?,
            Command::Go(go) => self.go(&go)?,
            Command::Stop => self.signal(StopSignal::stop)?,
            Command::PonderHit => self.signal(StopSignal::ponder_hit)?,
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::Debug(on) => self.debug = on,
            Command::Register(_) => self.output.say_text("registration is not needed")?,
            Command::Display => {
                self.output.say_lines(&inspect::board(&self.game))?;
                if self.refused {
                    self.output.say_text(REFUSED)?;
                }
            }
            Command::Bench(nodes) => self.bench(nodes)?,
            Command::Evaluate if self.refused => self.output.say_text(REFUSED)?,
            Command::Evaluate => match inspect::evaluation(&self.game, self.evaluator.evaluator.as_ref()) {
                Ok(lines) => self.output.say_lines(&lines)?,
                Err(error) => self.output.say_error(&error)?,
            },
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn dropped_rights(rights: &str, mode: CastlingMode) -> String {
    let hint = if mode.is_chess960() { "" } else { " (Chess960 needs UCI_Chess960)" };
    format!("castling rights {rights} are dropped: king and rook are not on their squares{hint}")
}

#[cfg(test)]
mod tests {
    use chess::{Decision, Limits, SearchError, SearchInfo};

    use super::*;

    struct Broken;

    impl Search for Broken {
        fn describe(&self) -> String {
            "broken".into()
        }

        fn run(
            &mut self,
            _game: &Game,
            _limits: &Limits,
            _stop: &StopSignal,
            _report: &mut dyn FnMut(&SearchInfo),
        ) -> Result<Decision, SearchError> {
            panic!("an edge without a node")
        }
    }

    #[test]
    fn a_search_that_panics_is_answered_and_the_next_go_has_a_new_one() {
        let engine = UciEngine::open("material", None, None, &[]).unwrap();
        let mut output = Vec::new();
        let mut session = UciSession::new(engine, &mut output);
        session.search = Some(Box::new(Broken));
        session.warm = true;
        for line in ["go nodes 1", "isready", "go nodes 1"] {
            session.sender().send(Event::Line(line.into())).unwrap();
        }
        session.sender().send(Event::EndOfInput).unwrap();
        session.run().unwrap();
        drop(session);
        let output = String::from_utf8(output).unwrap();
        assert!(
            output.contains("info string error: the search panicked: an edge without a node"),
            "{output}"
        );
        let best: Vec<&str> = output.lines().filter(|line| line.starts_with("bestmove")).collect();
        assert!(best.len() == 2 && best[0] == "bestmove 0000" && best[1] != "bestmove 0000", "{output}");
    }

    #[test]
    fn an_input_that_cannot_be_read_is_answered_and_no_success() {
        let engine = UciEngine::open("material", None, None, &[]).unwrap();
        let mut output = Vec::new();
        let mut session = UciSession::new(engine, &mut output);
        session.sender().send(Event::Line("go infinite".into())).unwrap();
        session.sender().send(Event::ReadFailed(io::Error::from(io::ErrorKind::BrokenPipe))).unwrap();
        let error = session.run().unwrap_err();
        drop(session);
        assert!(error.to_string().starts_with("the input cannot be read: "), "{error}");
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains("info string error: the input cannot be read: "), "{output}");
        assert_eq!(output.lines().filter(|line| line.starts_with("bestmove")).count(), 1, "{output}");
    }
}
