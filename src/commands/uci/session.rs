//! The conversation with the GUI.
//!
//! # Rules
//! 1. Every `go` is answered by exactly one `bestmove` (except `go perft`, which is no search), whatever happens.
//! 2. Only this thread writes; it never waits for a search except to end it.
//! 3. Whatever cannot be understood or done is answered by `info string` and changes nothing.

mod files;

use std::{
    collections::VecDeque,
    io::{self, Write},
    ops::ControlFlow,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use chess::{
    CastlingMode, Game, Limits, PolyglotBook, Position, Score, Search, SearchInfo, StopSignal, Tablebases,
};
use protocol::{Command, Go, Info, InfoScore, ParsedCommand, Response, UciError};
use search::{SEARCHES, SearchKind, book::BookOptions};

use super::{
    inspect,
    options::{FollowUp, Settings},
    perft,
    running::{Event, Running, Task},
    worker::{self, Job, SearchEnd},
};
use crate::{
    commands::bench,
    engine::{Computation, OpenedEvaluator, SearchSetup},
};

/// How long a stopped search may take before it is given up; the evaluator's slowest batch is far below.
const PATIENCE: Duration = Duration::from_secs(10);

/// Visits of the search that warms the engine up: enough for batches of the usual size.
const WARM_UP_NODES: u64 = 64;

/// The state of the conversation.
pub(super) struct Session<W> {
    output: W,
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// What arrived while a search was being ended.
    backlog: VecDeque<Event>,
    settings: Settings,
    evaluator: OpenedEvaluator,
    computation: Computation,
    /// `None` while a search thread has it.
    search: Option<Box<dyn Search>>,
    kind: &'static SearchKind,
    tables: Option<Arc<Tablebases>>,
    book: Option<Arc<PolyglotBook>>,
    running: Option<Running>,
    /// How many `go` there were.
    searches: u64,
    game: Game,
    debug: bool,
}

impl<W: Write> Session<W> {
    pub(super) fn new(
        output: W,
        settings: Settings,
        evaluator: OpenedEvaluator,
        computation: Computation,
        kind: &'static SearchKind,
    ) -> Self {
        let (sender, events) = channel();
        Self {
            output,
            sender,
            events,
            backlog: VecDeque::new(),
            settings,
            evaluator,
            computation,
            search: None,
            kind,
            tables: None,
            book: None,
            running: None,
            searches: 0,
            game: Game::default(),
            debug: false,
        }
    }

    /// Where the thread that reads the GUI's lines sends them.
    pub(super) fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Uses these endgame tables and this book.
    pub(super) fn with_files(self, setup: SearchSetup) -> Self {
        Self { tables: setup.tables, book: setup.book, ..self }
    }

    /// Talks until `quit`, the end of the input, or the end of the output, which is no less an end.
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
        self.say_text(&format!("{}, {}", program(), self.described()))?;
        loop {
            let event = match self.backlog.pop_front() {
                Some(event) => event,
                // The session keeps a sender, so the channel cannot close.
                None => self.events.recv().unwrap_or(Event::EndOfInput),
            };
            if self.handle(event)?.is_break() {
                return self.end_running();
            }
        }
    }

    fn handle(&mut self, event: Event) -> io::Result<ControlFlow<()>> {
        match event {
            Event::Line(line) => return self.line(&line),
            Event::OverlongLine => self.say_text("error: a line of more than a MiB was skipped")?,
            Event::EndOfInput => return Ok(ControlFlow::Break(())),
            Event::Report(number, report) if self.is_running(number) => self.report(&report)?,
            Event::SearchEnded(end) if self.is_running(end.number) => self.search_ended(*end)?,
            // Late words of a search that was given up.
            Event::Report(..) | Event::SearchEnded(_) => {}
            Event::PerftLine(line) => self.write_line(&line)?,
            Event::PerftEnded => self.running = None,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn line(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        match Command::parse(line) {
            Ok(ParsedCommand { command, ignored }) => {
                if !ignored.is_empty() {
                    self.say_text(&format!("ignored: {}", ignored.join(" ")))?;
                }
                self.obey(command)
            }
            Err(UciError::Empty) => Ok(ControlFlow::Continue(())),
            Err(error) => {
                self.say_error(&error)?;
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    fn obey(&mut self, command: Command) -> io::Result<ControlFlow<()>> {
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => self.answer_ready()?,
            Command::UciNewGame => self.new_game()?,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position(position) => match position.game(self.settings.castling_mode) {
                Ok(game) => self.game = game,
                Err(error) => self.say_error(&error)?,
            },
            Command::Go(go) => self.go(&go)?,
            Command::Stop => self.signal(StopSignal::stop)?,
            Command::PonderHit => self.signal(StopSignal::ponder_hit)?,
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::Debug(on) => self.debug = on,
            Command::Register(_) => self.say_text("registration is not needed")?,
            Command::Display => self.say_lines(&inspect::board(&self.game))?,
            Command::Bench(nodes) => self.bench(nodes)?,
            Command::Evaluate => match inspect::evaluation(&self.game, self.evaluator.evaluator.as_ref()) {
                Ok(lines) => self.say_lines(&lines)?,
                Err(error) => self.say_error(&error)?,
            },
        }
        Ok(ControlFlow::Continue(()))
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.say(&Response::IdName(program()))?;
        self.say(&Response::IdAuthor("the Tabiya authors".into()))?;
        let options: Vec<Response> =
            self.settings.declarations().map(|option| Response::Option(option.clone())).collect();
        options.iter().try_for_each(|option| self.say(option))?;
        self.say(&Response::UciOk)
    }

    /// While a search runs the answer comes at once; otherwise changed options are applied first, which may clear and
    /// allocate the search's memory.
    /// What the first `go` would spend its time on, memory and the evaluator's first batches, is done here.
    fn answer_ready(&mut self) -> io::Result<()> {
        let options = self.settings.effective_search().0;
        if let Some(search) = &mut self.search {
            search.set_options(&options);
        } else if self.running.is_none() {
            let search = self.resting_search();
            let limits = Limits { nodes: Some(WARM_UP_NODES), ..Limits::default() };
            let warmed = search.run(&Game::default(), &limits, &StopSignal::default(), &mut |_| {});
            search.new_game();
            if let Err(error) = warmed {
                self.say_error(&error)?;
            }
        }
        self.say(&Response::ReadyOk)
    }

    fn new_game(&mut self) -> io::Result<()> {
        self.end_running()?;
        self.resting_search().new_game();
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        match self.settings.set(name, value) {
            Ok(FollowUp::Done) => Ok(()),
            Ok(FollowUp::Say(text)) => self.say_text(&text),
            Ok(FollowUp::ClearHash) => self.new_game(),
            Ok(FollowUp::OpenNetwork(net)) => self.open_network(&net),
            Ok(FollowUp::OpenTables(folders)) => self.open_tables(&folders),
            Ok(FollowUp::OpenBook(file)) => self.open_book(&file),
            Err(error) => self.say_error(&error),
        }
    }

    fn bench(&mut self, nodes: Option<u64>) -> io::Result<()> {
        self.end_running()?;
        self.searches += 1;
        let running = Running::new(Task::Count, self.searches, &self.game, &Limits::default());
        let (stop, sender) = (running.stop.clone(), self.sender.clone());
        self.running = Some(running);
        thread::spawn(move || {
            let lines = bench::lines(nodes, &stop).unwrap_or_else(|error| vec![format!("error: {error:#}")]);
            for line in lines {
                let _ = sender.send(Event::PerftLine(format!("info string {line}")));
            }
            let _ = sender.send(Event::PerftEnded);
        });
        Ok(())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        self.end_running()?;
        let (limits, illegal) = go.limits(&self.game);
        self.searches += 1;
        let task = if go.perft.is_some() { Task::Count } else { Task::Search };
        let running = Running::new(task, self.searches, &self.game, &limits);
        let stop = running.stop.clone();
        self.running = Some(running);
        if let Some(depth) = go.perft {
            perft::spawn(self.game.clone(), depth, stop, self.sender.clone());
            return Ok(());
        }
        if go.has_clock() && limits.clock.is_none() {
            self.say_text("error: no clock for the side to move; the other limits hold, or stop")?;
        }
        for uci_move in &illegal {
            self.say_text(&format!("error: searchmoves: {uci_move} is illegal in {}", self.game.fen()))?;
        }
        if self.game.legal_moves().is_empty() {
            let score = if self.game.position().is_check() { Score::Mate(0) } else { Score::Centipawns(0) };
            let score = Some(InfoScore { score, bound: None });
            self.say(&Response::Info(Box::new(Info { depth: Some(0), score, ..Info::default() })))?;
            return self.answer(Response::BestMove { best: None, ponder: None });
        }
        if !go.search_moves.is_empty() && limits.search_moves.is_empty() {
            return self.answer(Response::BestMove { best: None, ponder: None });
        }
        self.start_search(limits, stop)
    }

    fn start_search(&mut self, mut limits: Limits, stop: StopSignal) -> io::Result<()> {
        let mut search = self.take_search();
        let (options, node_limit) = self.settings.effective_search();
        if self.book.is_none() && BookOptions::read(&options).own_book {
            self.say_text("error: OwnBook is on, but BookFile names no book")?;
        }
        limits.nodes = limits.nodes.into_iter().chain(node_limit).min();
        search.set_options(&options);
        let job = Job { number: self.searches, game: self.game.clone(), limits, stop };
        worker::spawn(search, job, self.sender.clone());
        Ok(())
    }

    fn signal(&mut self, signal: impl Fn(&StopSignal)) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        signal(&running.stop);
        match running.held.take() {
            Some(held) => self.answer(held),
            None => Ok(()),
        }
    }

    fn report(&mut self, report: &SearchInfo) -> io::Result<()> {
        for info in Info::from_search(report, self.searched_mode(), self.settings.show_wdl) {
            self.say(&Response::Info(Box::new(info)))?;
        }
        Ok(())
    }

    fn search_ended(&mut self, end: SearchEnd) -> io::Result<()> {
        self.search = end.search;
        let mode = self.searched_mode();
        for problem in self.tables.as_ref().map(|tables| tables.take_problems()).unwrap_or_default() {
            self.say_text(&format!("error: Syzygy: {problem}"))?;
        }
        match end.result {
            Ok(decision) => {
                let mut lines = Vec::new();
                if let Some(running) = &self.running {
                    lines.extend(inspect::book_moves(&running.game, &decision));
                    if self.debug {
                        lines.extend(inspect::root_moves(&running.game, &decision));
                    }
                    if self.settings.verbose_move_stats {
                        let evaluator = self.evaluator.evaluator.as_ref();
                        match inspect::verbose_move_stats(&running.game, &decision, evaluator) {
                            Ok(stats) => lines.extend(stats),
                            Err(error) => lines.push(format!("error: {error}")),
                        }
                    }
                }
                self.say_lines(&lines)?;
                let best = Some(decision.best.to_uci(mode));
                let ponder = decision.ponder.map(|ponder| ponder.to_uci(mode));
                self.answer(Response::BestMove { best, ponder })
            }
            // The null move says plainly that there is none: a made-up move would hide the failure.
            Err(error) => {
                self.say_error(&error)?;
                self.answer(Response::BestMove { best: None, ponder: None })
            }
        }
    }

    /// Answers the running `go`, or holds the answer where it must wait.
    fn answer(&mut self, response: Response) -> io::Result<()> {
        if let Some(running) = self.running.as_mut().filter(|running| running.must_wait()) {
            running.held = Some(response);
            return Ok(());
        }
        self.running = None;
        self.say(&response)
    }

    /// Ends what runs and waits until it is answered: stops a search, lets a count finish. What the GUI says meanwhile is heard
    /// afterwards, but for the `stop` of a count.
    fn end_running(&mut self) -> io::Result<()> {
        let counts = self.running.as_ref().is_some_and(|running| running.task == Task::Count);
        let is_stop = |event: &Event| matches!(event, Event::Line(line) if line == "stop");
        if !counts || self.backlog.iter().any(is_stop) {
            self.signal(StopSignal::stop)?;
        }
        while self.running.is_some() {
            let event = if counts {
                self.events.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.events.recv_timeout(PATIENCE)
            };
            match event {
                Ok(event @ (Event::Line(_) | Event::OverlongLine | Event::EndOfInput)) => {
                    // It ends everything asked for before it, of which more may wait.
                    if counts && is_stop(&event) {
                        self.signal(StopSignal::stop)?;
                    }
                    self.backlog.push_back(event);
                }
                // What a search says never ends the conversation.
                Ok(event) => {
                    let _goes_on = self.handle(event)?;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.say_text("error: the search does not stop and is given up")?;
                    self.running = None;
                    self.say(&Response::BestMove { best: None, ponder: None })?;
                }
            }
        }
        Ok(())
    }

    fn is_running(&self, number: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.number == number)
    }

    fn searched_mode(&self) -> CastlingMode {
        self.running.as_ref().map_or(&self.game, |running| &running.game).castling_mode()
    }

    fn resting_search(&mut self) -> &mut Box<dyn Search> {
        let (evaluator, kind) = (&self.evaluator.evaluator, self.kind);
        let options = self.settings.effective_search().0;
        let setup = SearchSetup { options, tables: self.tables.clone(), book: self.book.clone() };
        self.search.get_or_insert_with(|| setup.make(kind, evaluator.clone()))
    }

    fn take_search(&mut self) -> Box<dyn Search> {
        self.resting_search();
        self.search.take().expect("it was put there by the line above")
    }

    fn described(&self) -> String {
        let search = if self.kind.name == SEARCHES[0].name { "" } else { self.kind.name };
        let separator = if search.is_empty() { "" } else { ", search " };
        format!("network {}: {}{separator}{search}", self.evaluator.net, self.evaluator.describe())
    }

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
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }
}

/// Name and version of the program.
fn program() -> String {
    format!("Tabiya {}", env!("CARGO_PKG_VERSION"))
}
