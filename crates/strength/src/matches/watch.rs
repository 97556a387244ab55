//! Stops searches that exceed their time, and all searches when the match is stopped.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

use chess::StopSignal;

/// One worker's running move, watched from the thread that runs the match.
#[derive(Debug, Default)]
pub(super) struct Watch {
    running: Mutex<Option<(Instant, StopSignal)>>,
}

impl Watch {
    /// Runs `think` with a signal that is stopped after `deadline`, or as soon as the match is stopped.
    pub(super) fn during<T>(&self, deadline: Instant, think: impl FnOnce(&StopSignal) -> T) -> T {
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
            && (stop_all || now >= *deadline)
        {
            stop.stop();
        }
    }

    fn set(&self, running: Option<(Instant, StopSignal)>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = running;
    }
}
