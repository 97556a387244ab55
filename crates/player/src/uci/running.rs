//! Commands that run while the session reads on.

use chess::{Game, Limits, StopSignal};
use protocol::Response;

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
