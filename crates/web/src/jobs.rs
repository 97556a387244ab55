//! The list of running searches, which a page can show and stop.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use chess::StopSignal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::threads::locked;

/// Kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobKind {
    /// The engine thinks about its move in a game.
    Game,
    /// A search of a page.
    Analysis,
    /// The review of a game.
    Review,
}

/// A job of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct JobView {
    /// Number by which it is stopped.
    pub(crate) id: u64,
    /// Kind of the job.
    pub(crate) kind: JobKind,
    /// Id of the searching network.
    pub(crate) network: String,
    /// True if the job can be stopped from here; the search for a game's move cannot.
    pub(crate) can_stop: bool,
}

/// All running jobs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs(Arc<Mutex<Register>>);

#[derive(Debug, Default)]
struct Register {
    next: u64,
    running: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    view: JobView,
    stop: Option<StopSignal>,
}

/// A job at work; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Job {
    jobs: Jobs,
    id: u64,
}

impl Jobs {
    /// Registers the start of a job. `stop` ends it early, if that is allowed.
    pub(crate) fn begin(&self, kind: JobKind, network: &str, stop: Option<StopSignal>) -> Job {
        let mut register = locked(&self.0);
        register.next += 1;
        let id = register.next;
        let view = JobView { id, kind, network: network.to_owned(), can_stop: stop.is_some() };
        register.running.insert(id, Entry { view, stop });
        Job { jobs: self.clone(), id }
    }

    /// All running jobs, oldest first.
    pub(crate) fn list(&self) -> Vec<JobView> {
        locked(&self.0).running.values().map(|entry| entry.view.clone()).collect()
    }

    /// Asks a job to stop; `false` if no job with this number can be stopped.
    pub(crate) fn stop(&self, id: u64) -> bool {
        let register = locked(&self.0);
        let Some(stop) = register.running.get(&id).and_then(|entry| entry.stop.as_ref()) else {
            return false;
        };
        stop.stop();
        true
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        locked(&self.jobs.0).running.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_listed_while_it_works_and_only_some_can_be_stopped() {
        let jobs = Jobs::default();
        let stop = StopSignal::default();
        let review = jobs.begin(JobKind::Review, "default", Some(stop.clone()));
        let game = jobs.begin(JobKind::Game, "default", None);
        let listed: Vec<(u64, bool)> = jobs.list().iter().map(|job| (job.id, job.can_stop)).collect();
        assert_eq!(listed, [(1, true), (2, false)]);
        assert!(!jobs.stop(2) && !jobs.stop(3) && !stop.is_stopped());
        assert!(jobs.stop(1) && stop.is_stopped());
        drop((review, game));
        assert!(jobs.list().is_empty());
    }
}
