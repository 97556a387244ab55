//! Runs a player on many positions in parallel.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    time::{Duration, Instant},
};

use chess::{Game, Limits, StopSignal};
use serde::{Deserialize, Serialize};

use crate::{
    matches::Contestant,
    player::{Choice, Player, PlayerError},
};

/// Tolerated overrun of a time per move: engines check the clock every few milliseconds.
const LATE: Duration = Duration::from_millis(100);

/// Copies of a player that answer questions (positions) in parallel.
pub struct Panel<'a> {
    /// The player, with its limits.
    pub contestant: &'a Contestant,
    /// Questions in parallel, each thread with a copy of the player.
    pub threads: usize,
    /// Signal that ends the questions.
    pub stop: &'a StopSignal,
    /// Called for each answer.
    pub observe: &'a (dyn Fn() + Sync),
}

/// Errors that leave questions without an answer.
#[derive(Debug, thiserror::Error)]
pub enum PanelError {
    /// The player cannot be built.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// [`Panel::stop`] was signalled before the last answer.
    #[error("interrupted; a measurement counts only as a whole")]
    Interrupted,
    /// The list of questions is empty.
    #[error("found no position, expected at least one")]
    NoQuestion,
}

/// A player's reply to one of the questions.
#[derive(Debug)]
pub enum Reply<A> {
    /// The player's move, as the measurement reads it.
    Answer(A),
    /// A failure (crash, illegal move, no answer); counted as a wrong answer, never left out.
    Failure(PlayerError),
}

impl<A> Reply<A> {
    /// The answer, if the player gave one.
    pub fn answer(&self) -> Option<&A> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Failure(_) => None,
        }
    }
}

/// The answers to all questions, in their order.
#[derive(Debug)]
pub struct Answers<A> {
    /// One for each question.
    pub replies: Vec<Reply<A>>,
    /// Moves that took too long.
    pub late: Lateness,
}

impl<A> Answers<A> {
    /// Questions on which the player failed.
    pub fn failures(&self) -> u64 {
        self.replies.iter().filter(|reply| reply.answer().is_none()).count() as u64
    }
}

/// Number of moves for which a player exceeded its time by more than 100 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Lateness {
    pub moves: u64,
    /// Time that the slowest move took, milliseconds.
    pub longest_ms: u64,
}

impl fmt::Display for Lateness {
    /// A line of caution; nothing if no move was late.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { moves, longest_ms } = self;
        match moves {
            0 => Ok(()),
            _ => write!(
                formatter,
                "\n  caution: {moves} moves took over 100 ms longer than allowed, the longest {longest_ms} ms"
            ),
        }
    }
}

impl Panel<'_> {
    /// Puts every question to the player. A player that fails is built again.
    ///
    /// # Errors
    /// [`PanelError`] if the player cannot be built, if `stop` came first, or without a question.
    pub fn ask<Q: Sync, A: Send>(
        &self,
        questions: &[Q],
        put: impl Fn(&mut dyn Player, &Limits, &Q) -> Result<A, PlayerError> + Sync,
    ) -> Result<Answers<A>, PanelError> {
        let round = Round { questions, next: AtomicUsize::new(0), put, late: Mutex::default() };
        let (sender, results) = channel();
        let mut replies: Vec<Option<Reply<A>>> = questions.iter().map(|_| None).collect();
        let broken = std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, questions.len().max(1)) {
                let (sender, round) = (sender.clone(), &round);
                scope.spawn(move || self.work(round, &sender));
            }
            drop(sender);
            let mut broken = None;
            for result in results {
                match result {
                    Ok((index, reply)) => replies[index] = Some(reply),
                    Err(error) => broken = Some(error),
                }
                (self.observe)();
            }
            broken
        });
        if let Some(error) = broken {
            return Err(error.into());
        }
        if questions.is_empty() {
            return Err(PanelError::NoQuestion);
        }
        // An answer cut short by `stop` does not count, and neither do the others: those that came in time are the quick ones, so a
        // measurement of them alone would favour the positions in which the player decides quickly.
        let complete = replies.into_iter().collect::<Option<Vec<_>>>().filter(|_| !self.stop.is_stopped());
        let late = round.late.into_inner().unwrap_or_else(PoisonError::into_inner);
        complete.map(|replies| Answers { replies, late }).ok_or(PanelError::Interrupted)
    }

    /// One thread: takes questions until all are taken.
    fn work<Q, A>(
        &self,
        round: &Round<'_, Q, impl Fn(&mut dyn Player, &Limits, &Q) -> Result<A, PlayerError>>,
        results: &Sender<Result<(usize, Reply<A>), PlayerError>>,
    ) {
        let limits = self.contestant.pace.limits();
        let mut seat: Option<Box<dyn Player>> = None;
        while !self.stop.is_stopped() {
            // Relaxed: the number alone is handed out; questions were there before the threads, and answers travel through the
            // channel.
            let index = round.next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = round.questions.get(index) else { return };
            let result = seat.take().map_or_else(|| (self.contestant.factory)(), Ok).map(|player| {
                let mut player = Timed { player, late: &round.late };
                // Seeded by the question's number, so that answers do not depend on the threads.
                match player.new_game(index as u64).and_then(|()| (round.put)(&mut player, &limits, question))
                {
                    Ok(answer) => {
                        seat = Some(player.player);
                        (index, Reply::Answer(answer))
                    }
                    Err(error) => (index, Reply::Failure(error)),
                }
            });
            if result.is_err() {
                // Ends the other threads: without this answer theirs are useless.
                round.next.store(round.questions.len(), Ordering::Relaxed);
            }
            if results.send(result).is_err() {
                return;
            }
        }
    }
}

/// State shared by the threads of one round of questions.
struct Round<'a, Q, P> {
    questions: &'a [Q],
    next: AtomicUsize,
    put: P,
    late: Mutex<Lateness>,
}

/// A player whose moves are timed.
struct Timed<'a> {
    player: Box<dyn Player>,
    late: &'a Mutex<Lateness>,
}

impl Player for Timed<'_> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.player.new_game(seed)
    }

    fn choose(&mut self, game: &Game, limits: &Limits, stop: &StopSignal) -> Result<Choice, PlayerError> {
        let started = Instant::now();
        let choice = self.player.choose(game, limits, stop);
        let elapsed = started.elapsed();
        if limits.move_time.is_some_and(|allowed| elapsed > allowed + LATE) {
            let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
            late.moves += 1;
            late.longest_ms = late.longest_ms.max(elapsed.as_millis() as u64);
        }
        choice
    }
}
