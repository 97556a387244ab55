//! Searches between players of a given rating, for networks that imitate people.

use chess::{
    Decision, Game, Limits, PlayerRatings, Search, SearchError, SearchInfo, SearchOptions, StopSignal,
};

use crate::tunables::tunables;

tunables! {
    /// Whom a human-like network imitates.
    ImitationOptions

    "PlayerRating" rating: u64 = 0 in 0, 3500;
    "Elo of both players, for networks that take ratings as input and play as people of that rating would; 0 leaves the game's own."
}

/// A search whose network sees the players' ratings that its options name.
pub(crate) struct ImitatingSearch {
    inner: Box<dyn Search>,
    options: ImitationOptions,
}

impl ImitatingSearch {
    /// The search, with this group of its options.
    pub(crate) fn new(inner: Box<dyn Search>, options: &SearchOptions) -> Self {
        Self { inner, options: ImitationOptions::read(options) }
    }
}

impl Search for ImitatingSearch {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.inner.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.inner.set_options(options);
        let before = std::mem::replace(&mut self.options, ImitationOptions::read(options));
        if before != self.options {
            // What it remembers was found for another rating.
            self.inner.new_game();
        }
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let rating = u16::try_from(self.options.rating).ok().filter(|&rating| rating > 0);
        let Some(rating) = rating else { return self.inner.run(game, limits, stop, report) };
        let ratings = PlayerRatings { white: Some(rating), black: Some(rating) };
        self.inner.run(&game.clone().with_ratings(ratings), limits, stop, report)
    }
}
