//! Asking a player about many positions at once.

use std::{
    io,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::channel,
    },
};

use chess::{Limits, StopSignal};

use crate::{
    matches::Contestant,
    player::{Player, PlayerError},
};

/// What a player made of one of the questions.
#[derive(Debug)]
pub enum Reply<A> {
    /// Its answer.
    Answer(A),
    /// It failed (crash, illegal move, no answer); counted as a wrong answer, never left out.
    Failure(PlayerError),
}

/// Puts every question to the player, on several threads, each with a copy of its own. The answers are in the order of the
/// questions; a question is `None` only where `stop` came first. A player that fails is built anew. `observe` hears of each
/// answer.
///
/// # Errors
/// [`PlayerError::Start`] when the player cannot be built.
pub fn ask<Q: Sync, A: Send>(
    contestant: &Contestant,
    questions: &[Q],
    (threads, stop): (usize, &StopSignal),
    put: impl Fn(&mut dyn Player, &Limits, &Q) -> Result<A, PlayerError> + Sync,
    observe: &mut dyn FnMut(),
) -> Result<Vec<Option<Reply<A>>>, PlayerError> {
    let limits = contestant.pace.limits();
    let next = AtomicUsize::new(0);
    let broken: Mutex<Option<PlayerError>> = Mutex::new(None);
    let (sender, replies) = channel();
    let mut answers: Vec<Option<Reply<A>>> = questions.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, questions.len().max(1)) {
            let (sender, next, broken, limits, put) = (sender.clone(), &next, &broken, &limits, &put);
            scope.spawn(move || {
                let mut seat: Option<Box<dyn Player>> = None;
                while !stop.is_stopped() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = questions.get(index) else { return };
                    if seat.is_none() {
                        match contestant.factory.build() {
                            Ok(player) => seat = Some(player),
                            Err(error) => {
                                *broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                                next.store(questions.len(), Ordering::Relaxed);
                                return;
                            }
                        }
                    }
                    let Some(player) = seat.as_mut() else { return };
                    let reply = match player
                        .new_game(index as u64)
                        .and_then(|()| put(player.as_mut(), limits, question))
                    {
                        Ok(answer) => Reply::Answer(answer),
                        Err(error) => {
                            seat = None;
                            Reply::Failure(error)
                        }
                    };
                    if sender.send((index, reply)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (index, reply) in replies {
            answers[index] = Some(reply);
            observe();
        }
    });
    match broken.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(answers),
    }
}

/// Reads a text file, plain or compressed by gzip or zstd.
///
/// # Errors
/// What was found and expected, as the system or the decompressor says it.
pub fn read_text(path: &std::path::Path) -> io::Result<String> {
    use io::Read as _;
    let failed = |error: dataset::DatasetError| io::Error::other(error.to_string());
    let dataset::source::input::Input { text: mut reader, monitor, .. } =
        dataset::source::input::open(path).map_err(failed)?;
    let mut text = String::new();
    let read = reader.read_to_string(&mut text);
    match monitor.take_failure() {
        Some(failure) => Err(failed(failure)),
        None => read.map(|_| text),
    }
}
