//! A UCI engine as a child process.
//!
//! Every wait has a deadline; dropping a process sends `quit`, then kills it.

pub mod config;
pub mod error;
mod pipes;
mod search;

pub use config::{Timeouts, UciProcessConfig};
pub use error::{LastWords, UciProcessError, Waiting};
pub use pipes::program_file;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use chess::shakmaty::{CastlingMode, Move, uci::UciMove};

use chess::{Game, Limits, Score, StopSignal};

use crate::{
    Command, Go, Info, OptionDeclaration, PositionCommand, Response,
    process::{
        pipes::{Pipes, Received},
        search::{Collected, RunningSearch},
    },
};

/// Interval at which a waiting search polls its [`StopSignal`]; messages wake it at once.
const POLL: Duration = Duration::from_millis(10);

/// The option that switches an engine to Chess960 rules and notation.
const CHESS960: &str = "UCI_Chess960";

/// A running engine after its handshake.
#[derive(Debug)]
pub struct UciProcess {
    pipes: Pipes,
    timeouts: Timeouts,
    /// Grace beyond a search's own time limit.
    overrun: Duration,
    name: String,
    author: Option<String>,
    options: Vec<OptionDeclaration>,
    castling_mode: CastlingMode,
}

/// The result of a `go`.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The best move; legal in the position searched.
    pub best: Move,
    /// The expected reply, if the engine named a legal one.
    pub ponder: Option<Move>,
    /// The last scored `info` of each line (MultiPV), best first; a bound only if there is no exact score.
    pub infos: Vec<Info>,
    /// Nodes searched, from the last report.
    pub nodes: Option<u64>,
    /// Time from the `readyok` before the search to `bestmove`.
    pub elapsed: Duration,
}

impl Answer {
    /// The last scored `info` of the best line.
    pub fn info(&self) -> Option<&Info> {
        self.infos.first()
    }

    /// The score of the move played in the position searched, or the last score reported if that move has no line; and the moves
    /// that begin the lines with their scores, the move played first: none if it is not among them. `None` without a score.
    pub fn judgement(&self, game: &Game) -> Option<(Score, Vec<(Move, Score)>)> {
        let moves = self.scored_moves(game);
        match moves.first() {
            Some(&(first, score)) if first == self.best => Some((score, moves)),
            _ => Some((self.info()?.score?.score, Vec::new())),
        }
    }

    /// The moves that begin the lines, each once with its score, in the position searched; the move played first, if it has a
    /// line. If a node limit falls between two depths, lines may come from both, and a move may begin two of them: its
    /// first, better line counts.
    fn scored_moves(&self, game: &Game) -> Vec<(Move, Score)> {
        let mut moves: Vec<(Move, Score)> = Vec::with_capacity(self.infos.len());
        for info in &self.infos {
            let first = info.pv.first().and_then(|first| first.to_move(game.position()).ok());
            if let (Some(first), Some(score)) = (first, info.score)
                && moves.iter().all(|(known, _)| *known != first)
            {
                moves.push((first, score.score));
            }
        }
        if let Some(place) = moves.iter().position(|(first, _)| *first == self.best) {
            moves[..=place].rotate_right(1);
        }
        moves
    }
}

impl UciProcess {
    /// Starts an engine, waits for its handshake, sets its options and waits until it is ready.
    ///
    /// # Errors
    /// [`UciProcessError`] if it cannot be started, does not answer in time, ends, or does not accept an option.
    pub fn spawn(config: &UciProcessConfig) -> Result<Self, UciProcessError> {
        let mut process = Self {
            pipes: Pipes::spawn(config)?,
            timeouts: config.timeouts,
            overrun: config.timeouts.margin,
            name: config.command.clone(),
            author: None,
            options: Vec::new(),
            castling_mode: CastlingMode::Standard,
        };
        process.handshake()?;
        for (name, value) in &config.options {
            process.set_option(name, value.as_deref())?;
        }
        process.wait_until_ready()?;
        Ok(process)
    }

    /// The engine's `id name`, or the command that started it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The engine's `id author`.
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The options that the engine declared before `uciok`.
    pub fn options(&self) -> &[OptionDeclaration] {
        &self.options
    }

    /// The declaration of an option; `name` is not case-sensitive.
    pub fn option(&self, name: &str) -> Option<&OptionDeclaration> {
        self.options.iter().find(|option| option.is_named(name))
    }

    /// Sets an option; `None` presses a button.
    ///
    /// # Errors
    /// [`UciProcessError::UnknownOption`] or [`UciProcessError::Option`] if the engine did not declare it or does not allow the
    /// value; then nothing is sent.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), UciProcessError> {
        let declaration = self.option(name).ok_or_else(|| UciProcessError::UnknownOption {
            engine: self.name.clone(),
            name: name.into(),
            known: self.options.iter().map(|option| option.name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        declaration
            .check(value)
            .map_err(|source| UciProcessError::Option { engine: self.name.clone(), source })?;
        let command = Command::SetOption { name: declaration.name.clone(), value: value.map(String::from) };
        self.pipes.send(&command);
        Ok(())
    }

    /// Waits at least as long for a search without a time limit, and at least as long beyond the limit of one that has it, before the
    /// engine counts as hanging. Times below those of [`Timeouts`] change nothing.
    pub fn be_patient(&mut self, search: Duration, overrun: Duration) {
        self.timeouts.search = self.timeouts.search.max(search);
        self.overrun = self.overrun.max(overrun);
    }

    /// Sends `ucinewgame` and waits until the engine is ready.
    ///
    /// # Errors
    /// [`UciProcessError::Timeout`] or [`UciProcessError::Ended`].
    pub fn new_game(&mut self) -> Result<(), UciProcessError> {
        self.pipes.send(&Command::UciNewGame);
        self.wait_until_ready()
    }

    /// Sends `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// [`UciProcessError::Timeout`] or [`UciProcessError::Ended`].
    pub fn wait_until_ready(&mut self) -> Result<(), UciProcessError> {
        self.pipes.send(&Command::IsReady);
        self.wait_for_ready(self.timeouts.ready)
    }

    /// Sends `export_net`, with which Stockfish writes its network to a file, and waits until the engine is
    /// ready. The command is not part of UCI: other engines write nothing. Stockfish ends a path at the first
    /// space.
    ///
    /// # Errors
    /// [`UciProcessError::Timeout`] or [`UciProcessError::Ended`].
    pub fn export_network(&mut self, path: &Path) -> Result<(), UciProcessError> {
        self.pipes.send_line(format!("export_net {}", path.display()));
        self.wait_until_ready()
    }

    fn wait_for_ready(&mut self, limit: Duration) -> Result<(), UciProcessError> {
        let wait = Wait::new(Waiting::ReadyOk, limit);
        while self.message(&wait)? != Ok(Response::ReadyOk) {}
        Ok(())
    }

    /// Searches the current position of `game`, sending all its moves. The limits must end the search by themselves.
    ///
    /// # Errors
    /// [`UciProcessError`] if the limits are endless, or the engine is late, ends, or gives no legal move.
    pub fn go(&mut self, game: &Game, limits: &Limits) -> Result<Answer, UciProcessError> {
        if limits.infinite || limits.ponder {
            return Err(UciProcessError::Endless { engine: self.name.clone() });
        }
        let go = Go::from_limits(limits, game.turn(), game.castling_mode());
        self.go_until(game, &go, &StopSignal::default(), &mut |_info| {})
    }

    /// Searches with both clocks; pondering and endless searches are allowed. [`StopSignal::stop`] is sent as `stop`,
    /// [`StopSignal::ponder_hit`] as `ponderhit`, and every `info` is passed to `report`.
    ///
    /// # Errors
    /// [`UciProcessError`] if the engine is late, ends, or gives no legal move.
    pub fn go_until(
        &mut self,
        game: &Game,
        go: &Go,
        stop: &StopSignal,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, UciProcessError> {
        self.agree_on_castling(game.castling_mode())?;
        // Everything that belongs to the last search, such as a second `bestmove`, arrives before this
        // `readyok`. The search is sent in the same batch, which saves a round trip for an engine that
        // searches for a millisecond.
        self.pipes.send_all(&[
            Command::IsReady,
            Command::Position(PositionCommand::from_game(game)),
            Command::Go(Box::new(go.clone())),
        ]);
        self.wait_for_ready(self.timeouts.margin)?;
        self.answer(game, go, stop, report)
    }

    /// Searches positions one after another, writing up to `ahead` of them before the first is answered, so that an engine whose
    /// searches take less time than a pipe's round trip is never idle. UCI does not promise that an engine accepts `position`
    /// while it searches: this is for engines that read commands in order and finish a search before they begin the next, as
    /// Stockfish does. Returns fewer answers than positions if `stop` ended the work; the engine is then killed.
    ///
    /// # Errors
    /// As [`UciProcess::go`], at the first position without an answer.
    pub fn go_through(
        &mut self,
        games: &[Game],
        limits: &Limits,
        ahead: usize,
        stop: &StopSignal,
    ) -> Result<Vec<Answer>, UciProcessError> {
        if limits.infinite || limits.ponder {
            return Err(UciProcessError::Endless { engine: self.name.clone() });
        }
        let mut answers = Vec::with_capacity(games.len());
        for games in games.chunk_by(|one, next| one.castling_mode() == next.castling_mode()) {
            self.agree_on_castling(games[0].castling_mode())?;
            self.wait_until_ready()?;
            self.pipes.gather(ahead > 1);
            let answered = self.go_through_alike(games, limits, ahead, stop);
            self.pipes.gather(false);
            answers.extend(answered?);
            if stop.is_stopped() {
                self.pipes.kill();
                break;
            }
        }
        Ok(answers)
    }

    /// [`UciProcess::go_through`] for games with the same castling notation; ends early when it is stopped.
    fn go_through_alike(
        &mut self,
        games: &[Game],
        limits: &Limits,
        ahead: usize,
        stop: &StopSignal,
    ) -> Result<Vec<Answer>, UciProcessError> {
        let ahead = ahead.max(1);
        let mut answers = Vec::with_capacity(games.len());
        let mut unsent = games.iter();
        for (waiting, game) in games.iter().enumerate() {
            // Sent and not answered yet.
            let under_way = games.len() - unsent.len() - waiting;
            // Half of them at a time: each write may wake the engine.
            if under_way <= ahead / 2 {
                let commands = unsent.by_ref().take(ahead - under_way).flat_map(|game| {
                    let go = Go::from_limits(limits, game.turn(), game.castling_mode());
                    [Command::Position(PositionCommand::from_game(game)), Command::Go(Box::new(go))]
                });
                self.pipes.send_all(&commands.collect::<Vec<_>>());
            }
            let go = Go::from_limits(limits, game.turn(), game.castling_mode());
            let answer = self.answer(game, &go, stop, &mut |_info| {});
            if stop.is_stopped() {
                break;
            }
            answers.push(answer?);
        }
        Ok(answers)
    }

    /// Waits for the answer to a `go` that was sent.
    fn answer(
        &mut self,
        game: &Game,
        go: &Go,
        stop: &StopSignal,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, UciProcessError> {
        // Two deadlines. `wait` ends after a few milliseconds, so that a signal is passed on in time; a search that is late by its own
        // deadline is a fault of the engine. Only the first kind of timeout is passed over in the loop below.
        let mut wait = Wait::new(Waiting::BestMove, POLL);
        let mut search = RunningSearch::new(go, self.search_budget(game, go));
        loop {
            if let Some(command) = search.obey(stop, self.timeouts.margin) {
                self.pipes.send(&command);
            }
            let deadline = search.deadline();
            wait.deadline = deadline.min(Instant::now() + POLL);
            match self.message(&wait) {
                Ok(Ok(Response::Info(info))) => {
                    report(&info);
                    search.collected.take(*info);
                }
                Ok(Ok(Response::BestMove { best, ponder })) => {
                    let (best, ponder) = self.legal_moves(game, best, ponder)?;
                    let Collected { lines: infos, nodes } = search.collected;
                    return Ok(Answer { best, ponder, infos, nodes, elapsed: wait.since.elapsed() });
                }
                Ok(Err(line)) if is_best_move(&line) => {
                    let (engine, fen) = (self.name.clone(), game.fen());
                    return Err(UciProcessError::UnreadableMove { engine, found: shortened(&line), fen });
                }
                Ok(_other) => {}
                Err(UciProcessError::Timeout { .. }) if Instant::now() < deadline => {}
                Err(UciProcessError::Timeout { .. }) => return Err(self.give_up_search(wait)),
                Err(error) => return Err(error),
            }
        }
    }

    fn handshake(&mut self) -> Result<(), UciProcessError> {
        self.pipes.send(&Command::Uci);
        let wait = Wait::new(Waiting::UciOk, self.timeouts.handshake);
        loop {
            match self.message(&wait)? {
                Ok(Response::IdName(name)) if !name.is_empty() => self.name = name,
                Ok(Response::IdAuthor(author)) => self.author = Some(author),
                Ok(Response::Option(option)) => self.options.push(option),
                Ok(Response::UciOk) => return Ok(()),
                _ => {}
            }
        }
    }

    /// The next line, parsed if it is a message. Engines print many lines that are not.
    fn message(&mut self, wait: &Wait) -> Result<Result<Response, String>, UciProcessError> {
        match self.pipes.receive(wait.deadline) {
            Received::Line(line) => Ok(line.parse().map_err(|_no_message| line)),
            Received::TimedOut => Err(self.timed_out(wait)),
            Received::Closed => Err(UciProcessError::Ended {
                engine: self.name.clone(),
                waiting_for: wait.answer,
                status: self.pipes.exit_status(),
                last_words: self.pipes.last_words(),
            }),
        }
    }

    fn timed_out(&self, wait: &Wait) -> UciProcessError {
        UciProcessError::Timeout {
            engine: self.name.clone(),
            waiting_for: wait.answer,
            after: wait.since.elapsed(),
            last_words: self.pipes.last_words(),
        }
    }

    fn agree_on_castling(&mut self, mode: CastlingMode) -> Result<(), UciProcessError> {
        if self.castling_mode == mode {
            return Ok(());
        }
        self.set_option(CHESS960, Some(if mode.is_chess960() { "true" } else { "false" }))?;
        self.castling_mode = mode;
        Ok(())
    }

    /// The longest time for the search, from its tightest time limit.
    fn search_budget(&self, game: &Game, go: &Go) -> Duration {
        let clock = if game.turn().is_white() { go.white_time } else { go.black_time };
        [go.move_time, clock]
            .into_iter()
            .flatten()
            .min()
            .map_or(self.timeouts.search, |time| time.saturating_add(self.overrun))
    }

    /// Stops a late engine so that it can be used again, or kills it if it does not react.
    fn give_up_search(&mut self, mut wait: Wait) -> UciProcessError {
        let error = self.timed_out(&wait);
        self.pipes.send(&Command::Stop);
        wait.deadline = Instant::now() + self.timeouts.margin;
        loop {
            match self.message(&wait) {
                Ok(Ok(Response::BestMove { .. })) => return error,
                Ok(Err(line)) if is_best_move(&line) => return error,
                Ok(_other) => {}
                Err(_late_or_gone) => {
                    self.pipes.kill();
                    return error;
                }
            }
        }
    }

    /// The best move, which must be legal, and the expected reply if it is legal.
    fn legal_moves(
        &self,
        game: &Game,
        best: Option<UciMove>,
        ponder: Option<UciMove>,
    ) -> Result<(Move, Option<Move>), UciProcessError> {
        let Some(best) = best else {
            return Err(UciProcessError::NoMove { engine: self.name.clone(), fen: game.fen() });
        };
        let best = best.to_move(game.position()).map_err(|_illegal| UciProcessError::IllegalMove {
            engine: self.name.clone(),
            found: best.to_string(),
            fen: game.fen(),
        })?;
        let mut after = game.clone();
        after.play_unchecked(best);
        Ok((best, ponder.and_then(|ponder| ponder.to_move(after.position()).ok())))
    }
}

/// A pending answer with its start and deadline.
#[derive(Debug)]
struct Wait {
    answer: Waiting,
    since: Instant,
    deadline: Instant,
}

impl Wait {
    fn new(answer: Waiting, limit: Duration) -> Self {
        let since = Instant::now();
        Self { answer, since, deadline: since + limit }
    }
}

/// True if a line that failed to parse is the answer to `go`.
fn is_best_move(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// The start of a line, for error messages.
fn shortened(line: &str) -> String {
    line.chars().take(100).collect()
}
