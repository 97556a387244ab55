//! The thread that searches.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::Sender,
    thread,
};

use chess::{Game, Limits, Search, StopSignal};

use super::event::{Event, SearchEnd};

pub(super) struct Job {
    /// Number of the `go`, so that the end of an abandoned search is not taken for that of a later one.
    pub(super) number: u64,
    /// The position with its history.
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) stop: StopSignal,
}

/// Searches in a new thread, which sends its reports and at last exactly one [`Event::SearchEnded`].
pub(super) fn spawn(mut search: Box<dyn Search>, job: Job, events: Sender<Event>) {
    thread::spawn(move || {
        // A defect in a search must not leave the GUI without an answer.
        let result = catch_unwind(AssertUnwindSafe(|| {
            search.run(&job.game, &job.limits, &job.stop, &mut |info| {
                let _ = events.send(Event::Report(job.number, Box::new(info.clone())));
            })
        }));
        let (search, result) = match result {
            Ok(result) => (Some(search), result.map_err(|error| error.to_string())),
            Err(panic) => (None, Err(panic_message(panic.as_ref()))),
        };
        let end = SearchEnd { number: job.number, search, result };
        // Fails only when the session is over already.
        let _ = events.send(Event::SearchEnded(Box::new(end)));
    });
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("the search panicked: {}", text.unwrap_or_else(|| "without a message".into()))
}
