//! A search that waits for a permit.

use chess::{Decision, Game, Limits, Search, SearchError, SearchInfo, SearchOptions, StopSignal};

use crate::threads::ThreadBudget;

/// A search that acquires a permit for each position, so that no more threads of all reviews compute than there are permits, and several
/// reviews share them position by position: a review of ten moves does not wait for one of two hundred.
pub(super) struct PermittedSearch {
    pub(super) search: Box<dyn Search>,
    pub(super) threads: ThreadBudget,
}

impl Search for PermittedSearch {
    fn describe(&self) -> String {
        self.search.describe()
    }

    fn new_game(&mut self) {
        self.search.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.search.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.search.set_options(options);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let _permit = self.threads.acquire();
        self.search.run(game, limits, stop, report)
    }
}
