//! `go`, `bench` and the commands that end them.

use std::{
    hash::{BuildHasher as _, RandomState},
    io::{self, Write},
    sync::mpsc::RecvTimeoutError,
    time::Duration,
};

use chess::{
    CastlingMode, Decision, Game, Limits, Move, Position, Score, Search, SearchInfo, SearchOptions,
    StopSignal, Thinker, Thought,
};
use protocol::{Command, Go, Info, InfoScore, Response};
use search::{
    GeneralOptions,
    bench::{DEFAULT_NODES, LARGEST_NODES, bench},
    book::BookOptions,
};
use strength::StrengthSetting;

use super::{REFUSED, UciSession};
use crate::{
    levels::{imitation_kind, open_imitator},
    search_setup::SearchSetup,
    uci::{
        Event, inspect, perft,
        running::{Running, Task, spawn_count},
    },
};

/// Longest time that a stopped search may take before it is abandoned, far above the time of the slowest
/// batch.
const PATIENCE: Duration = Duration::from_secs(10);

/// The answer to a `go` without a move: the game is over, or the search failed, which an arbitrary legal move would hide.
const NULL_MOVE: Response = Response::BestMove { best: None, ponder: None };

impl<W: Write> UciSession<W> {
    pub(super) fn bench(&mut self, nodes: Option<u64>) -> io::Result<()> {
        self.end_running()?;
        self.searches += 1;
        let running = Running::new(Task::Count, self.searches, &self.game, &Limits::default());
        let stop = running.stop.clone();
        self.running = Some(running);
        spawn_count(self.sender.clone(), move |say| {
            let nodes = nodes.unwrap_or(DEFAULT_NODES).clamp(1, LARGEST_NODES);
            let lines = match bench(nodes, &stop) {
                Ok(result) => result.lines(),
                Err(error) => vec![format!("error: {error}")],
            };
            for line in lines {
                say(format!("info string {line}"));
            }
        })
    }

    pub(super) fn go(&mut self, go: &Go) -> io::Result<()> {
        self.end_running()?;
        if self.refused && go.perft.is_some() {
            return self.output.say_text(REFUSED);
        }
        let (limits, illegal) = go.limits(&self.game);
        self.searches += 1;
        let task = if go.perft.is_some() { Task::Count } else { Task::Search };
        let running = Running::new(task, self.searches, &self.game, &limits);
        let stop = running.stop.clone();
        self.running = Some(running);
        if let Some(depth) = go.perft {
            let game = self.game.clone();
            return spawn_count(self.sender.clone(), move |say| perft::divide(&game, depth, &stop, say));
        }
        if self.refused {
            self.output.say_text(REFUSED)?;
            return self.answer(NULL_MOVE);
        }
        if go.has_clock() && limits.clock.is_none() {
            self.output.say_text("error: no clock for the side to move; the other limits hold, or stop")?;
        }
        for uci_move in &illegal {
            self.output
                .say_text(&format!("error: searchmoves: {uci_move} is illegal in {}", self.game.fen()))?;
        }
        if self.game.legal_moves().is_empty() {
            let score = if self.game.position().is_check() { Score::Mate(0) } else { Score::Centipawns(0) };
            let score = Some(InfoScore { score, bound: None });
            self.output.say(&Response::Info(Box::new(Info { depth: Some(0), score, ..Info::default() })))?;
            return self.answer(NULL_MOVE);
        }
        if !illegal.is_empty() && limits.search_moves.is_empty() {
            self.output.say_text("searchmoves names no legal move; all moves are searched")?;
        }
        self.start_search(limits, stop)
    }

    fn start_search(&mut self, mut limits: Limits, stop: StopSignal) -> io::Result<()> {
        let (options, level) = self.settings.effective_search();
        self.change_player(level)?;
        let mut search = self.take_search(&options);
        if self.book.is_none() && BookOptions::read(&options).own_book {
            self.output.say_text("error: OwnBook is on, but BookFile names no book")?;
        }
        // Three parties limit a search: the GUI, the recipe of a reproduced system, and the level of a limited strength. Under a clock a
        // system keeps its recipe's limits, because they are what makes it that system; a GUI that gives limits of its own replaces
        // them. A level is a promise about strength and holds under all of them.
        if (limits.nodes, limits.depth, limits.mate, limits.infinite) == (None, None, None, false) {
            let own = self.player.pace.limits();
            (limits.nodes, limits.depth) = (own.nodes, own.depth);
        }
        limits.nodes = limits.nodes.into_iter().chain(level.map(|level| level.nodes)).min();
        if !limits.has_limit() && !limits.infinite && !limits.ponder {
            self.output.say_text("no limit holds: the search ends at stop")?;
        }
        search.set_options(&options);
        // The number distinguishes the end of an abandoned search from the end of a later one.
        let (number, reports, ends) = (self.searches, self.sender.clone(), self.sender.clone());
        // Sending fails only when the session is over already.
        let thinker = Thinker { game: self.game.clone(), limits, stop };
        thinker.spawn(
            "search",
            || Ok(search),
            move |info: &SearchInfo| {
                let _ = reports.send(Event::Report(number, Box::new(info.clone())));
            },
            move |thought| {
                let _ = ends.send(Event::SearchEnded(number, Box::new(thought)));
            },
        )
    }

    pub(super) fn signal(&mut self, signal: impl Fn(&StopSignal)) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        signal(&running.stop);
        match running.held.take() {
            Some(held) => self.answer(held),
            None => Ok(()),
        }
    }

    pub(super) fn report(&mut self, report: &SearchInfo) -> io::Result<()> {
        for info in Info::from_search(report, self.searched_mode(), self.settings.show_wdl) {
            self.output.say(&Response::Info(Box::new(info)))?;
        }
        Ok(())
    }

    pub(super) fn search_ended(&mut self, thought: Thought) -> io::Result<()> {
        self.search = thought.search;
        let mode = self.searched_mode();
        for problem in self.tables.as_ref().map(|tables| tables.take_problems()).unwrap_or_default() {
            self.output.say_text(&format!("error: Syzygy: {problem}"))?;
        }
        let decision = match thought.result {
            Ok(decision) => decision,
            Err(error) => {
                self.output.say_error(&error)?;
                return self.answer(NULL_MOVE);
            }
        };
        // A move from the book was not searched: its line has no score.
        if decision.info.variations.is_empty() {
            let pv = vec![decision.best.to_uci(mode)];
            self.output.say(&Response::Info(Box::new(Info { depth: Some(0), pv, ..Info::default() })))?;
        }
        let game = self.running.as_ref().map_or(&self.game, |running| &running.game);
        let mut lines = Vec::new();
        lines.extend(inspect::book_moves(game, &decision));
        if self.debug {
            lines.extend(inspect::root_moves(game, &decision));
        }
        if self.settings.verbose_move_stats {
            match inspect::verbose_move_stats(game, &decision, self.evaluator.evaluator.as_ref()) {
                Ok(stats) => lines.extend(stats),
                Err(error) => lines.push(format!("error: {error}")),
            }
        }
        self.output.say_lines(&lines)?;
        let best = Some(decision.best.to_uci(mode));
        let ponder = ponder_move(game, &decision).map(|ponder| ponder.to_uci(mode));
        self.answer(Response::BestMove { best, ponder })
    }

    /// Answers the running `go`, or holds the answer if it must wait.
    fn answer(&mut self, response: Response) -> io::Result<()> {
        if let Some(running) = self.running.as_mut().filter(|running| running.must_wait()) {
            running.held = Some(response);
            return Ok(());
        }
        self.running = None;
        self.output.say(&response)
    }

    /// Ends the running command and waits until it is answered: stops a search, lets a count finish unless `stop`, `quit` or
    /// the end of the input follows. Lines that arrive meanwhile are handled afterwards.
    pub(super) fn end_running(&mut self) -> io::Result<()> {
        let counts = self.running.as_ref().is_some_and(|running| running.task == Task::Count);
        if !counts || self.backlog.iter().any(ends_counts) {
            self.signal(StopSignal::stop)?;
        }
        // Everything that arrives while waiting is either an event of the running command, which is handled at once and in the end clears
        // `running`, or a line of the GUI, which is kept in order for later: to obey it now would start the next command inside this one.
        // A search answers within the time of a batch, so silence means that it hangs; a count may be silent for minutes.
        while self.running.is_some() {
            let event = if counts {
                self.events.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.events.recv_timeout(PATIENCE)
            };
            match event {
                Ok(
                    event @ (Event::Line(_) | Event::OverlongLine | Event::EndOfInput | Event::ReadFailed(_)),
                ) => {
                    // It ends everything requested before it, and more requests may be waiting.
                    if counts && ends_counts(&event) {
                        self.signal(StopSignal::stop)?;
                    }
                    self.backlog.push_back(event);
                }
                // A search's messages never end the conversation.
                Ok(event) => {
                    let _continues = self.handle(event)?;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.output.say_text("error: the search does not stop and is given up")?;
                    self.running = None;
                    self.output.say(&NULL_MOVE)?;
                }
            }
        }
        Ok(())
    }

    /// Stops the running command, even a count, and waits until it is answered.
    pub(super) fn leave(&mut self) -> io::Result<()> {
        self.signal(StopSignal::stop)?;
        self.end_running()
    }

    pub(super) fn is_running(&self, number: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.number == number)
    }

    fn searched_mode(&self) -> CastlingMode {
        self.running.as_ref().map_or(&self.game, |running| &running.game).castling_mode()
    }

    /// Switches to the player for the requested strength: the network, or the human-like one.
    pub(super) fn change_player(&mut self, level: Option<StrengthSetting>) -> io::Result<()> {
        let imitates = level.is_some_and(|level| level.imitated.is_some());
        if imitates == self.imitates {
            return Ok(());
        }
        (self.search, self.imitates) = (None, imitates);
        if imitates && self.imitator.is_none() {
            match open_imitator(&self.evaluator, self.precision) {
                Ok(imitator) => self.imitator = Some(imitator),
                Err(error) => self.output.say_text(&format!("error: {error}; the other network plays"))?,
            }
        }
        Ok(())
    }

    /// Forgets the previous game. If no seed was chosen (`Seed` 0), the next game gets its own random choices, including moves
    /// from the book.
    pub(super) fn begin_game(&mut self, options: &SearchOptions) {
        let chosen = GeneralOptions::read(options).seed;
        let search = self.resting_search(options);
        search.new_game();
        if chosen == 0 {
            search.reseed(RandomState::new().hash_one(()));
        }
    }

    /// The search kept between two commands, created with these options if there is none yet.
    pub(super) fn resting_search(&mut self, options: &SearchOptions) -> &mut Box<dyn Search> {
        let (evaluator, kind) = match self.imitator.as_ref().filter(|_| self.imitates) {
            Some(imitator) => (imitator, imitation_kind()),
            None => (&self.evaluator.evaluator, self.player.search),
        };
        self.warm &= self.search.is_some();
        self.search.get_or_insert_with(|| {
            let (options, tables, book) = (options.clone(), self.tables.clone(), self.book.clone());
            SearchSetup { options, tables, book }.make(kind, evaluator.clone())
        })
    }

    fn take_search(&mut self, options: &SearchOptions) -> Box<dyn Search> {
        self.resting_search(options);
        // It is about to search.
        self.warm = true;
        self.search.take().expect("it was put there by the first line")
    }
}

/// The expected reply; `None` if there is none, or if the game would be over after it and there was nothing to ponder.
fn ponder_move(game: &Game, decision: &Decision) -> Option<Move> {
    let after = game.after(decision.best);
    let ponder = decision.ponder.filter(|ponder| after.legal_moves().contains(ponder))?;
    let outcome = after.after(ponder).outcome();
    outcome.is_none_or(|outcome| outcome.ending.needs_claim()).then_some(ponder)
}

/// A GUI that quits, or has died, does not wait for a count.
fn ends_counts(event: &Event) -> bool {
    match event {
        Event::Line(line) => matches!(line.parse(), Ok(Command::Stop | Command::Quit)),
        Event::EndOfInput | Event::ReadFailed(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use chess::parse_uci_move;

    use super::*;

    #[test]
    fn a_ponder_move_is_legal_and_the_game_goes_on_after_it() {
        let mut game = Game::default();
        for text in ["f2f3", "e7e5"] {
            game.play_uci(text).unwrap();
        }
        let best = parse_uci_move(game.position(), "g2g4").unwrap();
        let after = game.after(best);
        let reply = |text: &str| parse_uci_move(after.position(), text).unwrap();
        let of_white = parse_uci_move(game.position(), "a2a3").unwrap();
        for (ponder, printed) in [
            (None, None),
            (Some(reply("d7d5")), Some(reply("d7d5"))),
            (Some(reply("d8h4")), None),
            (Some(of_white), None),
        ] {
            let decision = Decision { best, ponder, info: SearchInfo::default() };
            assert_eq!(ponder_move(&game, &decision), printed);
        }
    }
}
