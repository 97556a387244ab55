//! Commands that run while the session reads on.

use std::{io, sync::mpsc::Sender, thread};

use chess::{Game, Limits, StopSignal, guarded};
use protocol::Response;

use super::Event;

/// Kind of a running command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// A search, which is answered by `bestmove` and ended by the next command that requires its end.
    Search,
    /// `go perft` and `bench`: counted to the end, unless `stop`, `quit` or the end of the input comes.
    Count,
}

/// A running `go` or `bench`.
pub(super) struct Running {
    pub(super) task: Task,
    pub(super) number: u64,
    pub(super) stop: StopSignal,
    /// The game searched; `position` may have changed the session's since.
    pub(super) game: Game,
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    /// The answer of a search that ended before it may be answered.
    pub(super) held: Option<Response>,
}

impl Running {
    pub(super) fn new(task: Task, number: u64, game: &Game, limits: &Limits) -> Self {
        let stop = StopSignal::default();
        let (infinite, ponder) = (limits.infinite, limits.ponder);
        Self { task, number, stop, game: game.clone(), infinite, ponder, held: None }
    }

    /// True if the answer must wait: an infinite search for `stop`, a pondering one for `ponderhit` or `stop`.
    pub(super) fn must_wait(&self) -> bool {
        let pondering = self.ponder && !self.stop.is_ponder_hit();
        !self.stop.is_stopped() && (self.infinite || pondering)
    }
}

/// Counts in a thread of its own, which sends the lines that `count` says and then [`Event::PerftEnded`], even after a panic: the
/// session waits for that event without end.
///
/// # Errors
/// If the operating system refuses a thread; then nothing is sent.
pub(super) fn spawn_count(
    events: Sender<Event>,
    count: impl FnOnce(&mut dyn FnMut(String)) + Send + 'static,
) -> io::Result<()> {
    let spawned = thread::Builder::new().name("count".into()).spawn(move || {
        // Sending fails only when the session is over already.
        let mut say = |line: String| drop(events.send(Event::PerftLine(line)));
        if let Err(panicked) = guarded(|| count(&mut say)) {
            say(format!("info string error: the count {panicked}"));
        }
        let _ = events.send(Event::PerftEnded);
    });
    spawned.map(drop)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// The session waited for ever, even for `quit` and the end of its input.
    #[test]
    fn a_count_that_panics_ends() {
        let (sender, events) = channel();
        spawn_count(sender, |say| {
            say("a2a3: 20".into());
            panic!("no board");
        })
        .unwrap();
        let events: Vec<Event> = events.iter().collect();
        let [Event::PerftLine(first), Event::PerftLine(error), Event::PerftEnded] = events.as_slice() else {
            panic!("{} events", events.len())
        };
        assert_eq!(
            (first.as_str(), error.as_str()),
            ("a2a3: 20", "info string error: the count panicked: no board")
        );
    }
}
