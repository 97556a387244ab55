//! Stops searches that exceed their time, and all searches when the match is stopped.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

use chess::StopSignal;

/// A move with the time at which it is late; `None` if that is further away than the clock counts.
type Running = (Option<Instant>, StopSignal);

/// One worker's running move, watched from the thread that runs the match.
#[derive(Debug, Default)]
pub(super) struct Watch {
    running: Mutex<Option<Running>>,
}

impl Watch {
    /// Runs `think` with a signal that is stopped after `deadline`, or as soon as the match is stopped.
    pub(super) fn during<T>(&self, deadline: Option<Instant>, think: impl FnOnce(&StopSignal) -> T) -> T {
        let stop = StopSignal::default();
        self.set(Some((deadline, stop.clone())));
        let answer = think(&stop);
        self.set(None);
        answer
    }

    /// Stops the running move if it is late or `stop_all` is set. To be called every few milliseconds.
    pub(super) fn tick(&self, now: Instant, stop_all: bool) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((deadline, stop)) = running.as_ref()
            && (stop_all || deadline.is_some_and(|deadline| now >= deadline))
        {
            stop.stop();
        }
    }

    fn set(&self, running: Option<Running>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = running;
    }
}
