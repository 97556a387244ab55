//! One search of an engine, from `go` to `bestmove`.

use std::time::{Duration, Instant};

use chess::StopSignal;

use crate::{Command, Go, Info};

/// The state of one `go` while its answer is awaited.
#[derive(Debug)]
pub(super) struct RunningSearch {
    budget: Duration,
    /// Time by which the answer must have come; `None` while the search is endless, or if it is further away than the
    /// clock counts.
    deadline: Option<Instant>,
    pondering: bool,
    infinite: bool,
    stopped: bool,
    pub(super) collected: Collected,
}

impl RunningSearch {
    pub(super) fn new(go: &Go, budget: Duration) -> Self {
        let endless = go.infinite || go.ponder;
        Self {
            budget,
            deadline: if endless { None } else { Instant::now().checked_add(budget) },
            pondering: go.ponder,
            infinite: go.infinite,
            stopped: false,
            collected: Collected::default(),
        }
    }

    /// An infinite search has no deadline; the hour only bounds one wait.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline.unwrap_or_else(|| Instant::now() + Duration::from_hours(1))
    }

    /// The command that the signal requires now, if any.
    pub(super) fn obey(&mut self, signal: &StopSignal, margin: Duration) -> Option<Command> {
        if signal.is_stopped() && !self.stopped {
            self.stopped = true;
            self.deadline = Some(Instant::now() + margin);
            return Some(Command::Stop);
        }
        if self.pondering && signal.is_ponder_hit() {
            self.pondering = false;
            self.deadline = if self.infinite { None } else { Instant::now().checked_add(self.budget) };
            return Some(Command::PonderHit);
        }
        None
    }
}

/// Contents of the `info` lines of one search.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) lines: Vec<Info>,
    pub(super) nodes: Option<u64>,
}

impl Collected {
    pub(super) fn take(&mut self, info: Info) {
        self.nodes = info.nodes.or(self.nodes);
        let Some(score) = info.score else { return };
        // The last exact score of a line counts. A bound, which a search gives while it widens its window, stands in only as long as
        // there is nothing better.
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        if let Some(line) = self.lines.get_mut(rank) {
            let had_exact = line.score.is_some_and(|score| score.bound.is_none());
            if score.bound.is_none() || !had_exact {
                *line = info;
            }
        } else if rank == self.lines.len() {
            // MultiPV ranks arrive in order; a gap means that the engine numbers its lines differently.
            self.lines.push(info);
        }
    }
}
