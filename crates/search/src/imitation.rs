//! Imitation of people of a given rating, for networks conditioned on ratings.

use chess::{Decision, Game, PlayerRatings, plies_before};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{human_time::thinking_time, time::TimeManager, tunables::tunables};

tunables! {
    /// The people whom a human-like network imitates.
    ImitationOptions

    "PlayerRating" rating: u64 = 0 in 0, 3500;
    "Elo of both players, for networks that take ratings as input and play as people of that rating would; 0 leaves the game's own."

    "HumanTime" human_time: bool = false in false, true;
    "Under a clock, answer no sooner than people would: quickly in openings and where a move is obvious, later where several compete."
}

impl ImitationOptions {
    /// The game with the ratings set by the options as network input; `None` if the game's own ratings apply.
    pub(crate) fn rated(&self, game: &Game) -> Option<Game> {
        let rating = u16::try_from(self.rating).ok().filter(|&rating| rating > 0)?;
        Some(game.clone().with_ratings(PlayerRatings::both(rating)))
    }
}

/// Waits as long as a person would have thought.
pub(crate) fn wait(
    game: &Game,
    decision: &Decision,
    time: &mut TimeManager<'_>,
    random: &mut Xoshiro256PlusPlus,
) {
    let Some(budget) = time.budget else { return };
    let wanted = thinking_time(budget, plies_before(game.position()), &decision.info.root_moves, random);
    time.hold_until(wanted);
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Arc,
        time::{Duration, Instant},
    };

    use chess::{Clock, Limits, Search, SearchOptions, StopSignal, UniformEvaluator};

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
        // An even move's share is about a second; a move in the opening, with twenty equal moves, takes about half of that.
        let waited = run(human.as_mut(), &under_clock(60));
        assert!(waited > Duration::from_millis(50), "{waited:?}");
        // With ten days on the clock a person would take hours, so this ends only because it does not wait.
        run(machine.as_mut(), &under_clock(864_000));
        run(human.as_mut(), &Limits { clock: None, ..under_clock(864_000) });
        stop.stop();
        run(human.as_mut(), &under_clock(864_000));
    }
}
