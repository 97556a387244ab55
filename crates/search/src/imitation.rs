//! Searches between players of a given rating, for networks that imitate people.

use chess::{
    Decision, Game, Limits, PlayerRatings, Search, SearchError, SearchInfo, SearchOptions, StopSignal,
    plies_before,
};

use crate::{
    human_time::thinking_time,
    seeded_random::SeededRandom,
    time::{TimeManager, TimeOptions},
    tunables::tunables,
};

tunables! {
    /// Whom a human-like network imitates.
    ImitationOptions

    "PlayerRating" rating: u64 = 0 in 0, 3500;
    "Elo of both players, for networks that take ratings as input and play as people of that rating would; 0 leaves the game's own."

    "HumanTime" human_time: bool = false in false, true;
    "Under a clock, answer no sooner than people would: quickly in openings and where a move is obvious, later where several compete."
}

/// A search whose network sees the players' ratings that its options name, and that takes its time as people do where they say so.
pub(crate) struct ImitatingSearch {
    inner: Box<dyn Search>,
    options: ImitationOptions,
    time: TimeOptions,
    random: SeededRandom,
}

impl ImitatingSearch {
    /// The search, with this group of its options.
    pub(crate) fn new(inner: Box<dyn Search>, options: &SearchOptions) -> Self {
        let random = SeededRandom::new(options);
        Self { inner, options: ImitationOptions::read(options), time: TimeOptions::read(options), random }
    }
}

/// Waits until a person would have made the move.
fn wait(game: &Game, decision: &Decision, time: &mut TimeManager<'_>, random: &mut SeededRandom) {
    let Some(budget) = time.budget else { return };
    let wanted =
        thinking_time(budget, plies_before(game.position()), &decision.info.root_moves, random.generator());
    time.hold_until(wanted);
}

impl Search for ImitatingSearch {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn new_game(&mut self) {
        self.random.new_game();
        self.inner.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.random.reseed(seed);
        self.inner.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.inner.set_options(options);
        self.random.set_options(options);
        self.time = TimeOptions::read(options);
        let before = std::mem::replace(&mut self.options, ImitationOptions::read(options));
        if before.rating != self.options.rating {
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
        let mut time = TimeManager::new(game, limits, stop, &self.time);
        let rating = u16::try_from(self.options.rating).ok().filter(|&rating| rating > 0);
        let decision = match rating {
            None => self.inner.run(game, limits, stop, report),
            Some(rating) => {
                let ratings = PlayerRatings::both(rating);
                self.inner.run(&game.clone().with_ratings(ratings), limits, stop, report)
            }
        }?;
        if self.options.human_time {
            wait(game, &decision, &mut time, &mut self.random);
        }
        Ok(decision)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Arc,
        time::{Duration, Instant},
    };

    use chess::{Clock, UniformEvaluator};

    use super::*;
    use crate::search_kind;

    fn search(human_time: bool) -> Box<dyn Search> {
        let mut options = SearchOptions::default();
        ImitationOptions { human_time, ..ImitationOptions::read(&options) }.write(&mut options);
        search_kind("policy").unwrap().build(Arc::new(UniformEvaluator), &options, None)
    }

    fn under_clock(seconds: u64) -> Limits {
        let remaining = Duration::from_secs(seconds);
        let clock = Clock { remaining, increment: Duration::ZERO, moves_to_go: None };
        Limits { clock: Some(clock), nodes: Some(1), ..Limits::default() }
    }

    #[test]
    fn people_are_waited_for_under_a_clock_and_where_asked() {
        let stop = StopSignal::default();
        let run = |search: &mut dyn Search, limits: &Limits| {
            let begun = Instant::now();
            search.run(&Game::default(), limits, &stop, &mut |_| ()).unwrap();
            begun.elapsed()
        };
        let (mut human, mut machine) = (search(true), search(false));
        // About a second is the share of an even move; one in the opening, with twenty moves alike, takes about half of that.
        let waited = run(human.as_mut(), &under_clock(60));
        assert!(waited > Duration::from_millis(50), "{waited:?}");
        // With ten days on the clock a person would take hours, so these end only because nobody is waited for.
        run(machine.as_mut(), &under_clock(864_000));
        run(human.as_mut(), &Limits { clock: None, ..under_clock(864_000) });
        stop.stop();
        run(human.as_mut(), &under_clock(864_000));
    }
}
