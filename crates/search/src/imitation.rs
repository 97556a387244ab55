//! Imitation of people of a given rating, for networks conditioned on ratings.

use std::time::Duration;

use chess::{Decision, Game, PlayerRatings, RootMove, plies_before};
use rand_distr::{Distribution as _, LogNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    time::{Budget, TimeManager},
    tunables::tunables,
};

tunables! {
    /// The people whom a human-like network imitates.
    ImitationOptions

    "PlayerRating" rating: u64 = 0 in 0, 3500;
    "Elo of both players, for networks that take ratings as input and play as people of that rating would; 0 leaves the game's own."

    "OpponentRating" opponent: u64 = 0 in 0, 3500;
    "Elo of the opponent alone, for networks that take the ratings of both; 0 is that of PlayerRating."

    "HumanTime" human_time: bool = false in false, true;
    "Under a clock, answer no sooner than people would: quickly in openings and where a move is obvious, later where several compete."
}

impl ImitationOptions {
    /// The game with the ratings set by the options as network input; `None` if the game's own ratings apply.
    pub(crate) fn rated(&self, game: &Game) -> Option<Game> {
        let given = |rating: u64| u16::try_from(rating).ok().filter(|&rating| rating > 0);
        let (player, opponent) = (given(self.rating), given(self.opponent));
        player.or(opponent)?;
        let PlayerRatings { white, black } = game.ratings();
        let [own, other] = if game.turn().is_white() { [white, black] } else { [black, white] };
        let (own, other) = (player.or(own), opponent.or(player).or(other));
        let [white, black] = if game.turn().is_white() { [own, other] } else { [other, own] };
        Some(game.clone().with_ratings(PlayerRatings { white, black }))
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
    // A time that is given for the move holds whatever a clock says.
    let longest = time.move_time.unwrap_or(Duration::MAX);
    time.hold_until(wanted.min(longest));
}

// Thinking times. All numbers are chosen, not tuned: the paper named at `thinking_time` shows the shapes, but no constants that
// carry over to every clock.

/// Spread of the logarithm of the time.
const TIME_SPREAD: f64 = 0.5;
/// Entropy, in nats, of a policy whose move takes the mean time: about three and a half competing moves.
const USUAL_ENTROPY: f64 = 1.25;
/// Shortest and longest mean, as shares of the usual mean.
const LEAST_TIME: f64 = 0.15;
const MOST_TIME: f64 = 2.0;
/// Plies of the opening, mostly played from memory, and the fraction of the usual time that they take.
const OPENING_PLIES: u32 = 12;
const OPENING_SHARE: f64 = 0.3;

/// The time for a move at half-move `ply` of a game, when the policy over the root's moves has these priors. It is never more than
/// the budget's maximum.
///
/// People's thinking times are distributed log-normally. They are short in openings and where the move is obvious, and longer the
/// more moves compete (Sigman, Etchemendy, Fernandez Slezak and Cecchi, "Response time distributions in rapid chess: a large-scale
/// decision making experiment", Frontiers in Neuroscience 4, 2010). The mean is the time that the search's own time management
/// would use.
fn thinking_time(
    budget: Budget,
    ply: u32,
    root_moves: &[RootMove],
    random: &mut Xoshiro256PlusPlus,
) -> Duration {
    let opening = if ply < OPENING_PLIES { OPENING_SHARE } else { 1.0 };
    let choice = (entropy(root_moves) / USUAL_ENTROPY).clamp(LEAST_TIME, MOST_TIME);
    // Its mean is 1.
    let mood = LogNormal::new(-TIME_SPREAD * TIME_SPREAD / 2.0, TIME_SPREAD)
        .expect("the spread is positive")
        .sample(random);
    budget.optimum.mul_f64(opening * choice * mood).min(budget.maximum)
}

/// Entropy of the priors in nats.
fn entropy(root_moves: &[RootMove]) -> f64 {
    let priors = root_moves.iter().map(|root_move| f64::from(root_move.prior));
    priors.filter(|&prior| prior > 0.0).map(|prior| -prior * libm::log(prior)).sum()
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Instant};

    use chess::{Clock, Limits, Search, SearchOptions, StopSignal, UniformEvaluator};
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::search_kind;

    #[test]
    fn ratings_are_those_of_the_side_to_move_and_its_opponent() {
        let white = Game::default().with_ratings(PlayerRatings { white: Some(1700), black: None });
        let mut black = white.clone();
        black.play_uci("e2e4").unwrap();
        let shown = |rating, opponent, game: &Game| {
            let options = SearchOptions::default();
            let options = ImitationOptions { rating, opponent, ..ImitationOptions::read(&options) };
            options.rated(game).map(|game| (game.ratings().white, game.ratings().black))
        };
        assert_eq!(shown(0, 0, &white), None);
        for game in [&white, &black] {
            assert_eq!(shown(1500, 0, game), Some((Some(1500), Some(1500))));
        }
        assert_eq!(shown(1500, 2000, &white), Some((Some(1500), Some(2000))));
        assert_eq!(shown(1500, 2000, &black), Some((Some(2000), Some(1500))));
        // Without a rating of the player that of the game stays.
        assert_eq!(shown(0, 2000, &white), Some((Some(1700), Some(2000))));
        assert_eq!(shown(0, 2000, &black), Some((Some(2000), None)));
    }

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
        run(human.as_mut(), &Limits { move_time: Some(Duration::from_millis(1)), ..under_clock(864_000) });
        stop.stop();
        run(human.as_mut(), &under_clock(864_000));
    }

    const BUDGET: Budget = Budget { optimum: Duration::from_secs(4), maximum: Duration::from_secs(10) };

    fn mean_seconds(ply: u32, priors: &[f32]) -> f64 {
        let moves = Game::default().legal_moves();
        let root_moves: Vec<RootMove> =
            priors.iter().zip(moves).map(|(&prior, one)| RootMove::unvisited(one, prior)).collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let times: Vec<Duration> =
            (0..2000).map(|_| thinking_time(BUDGET, ply, &root_moves, &mut random)).collect();
        assert!(times.iter().all(|&time| time <= BUDGET.maximum));
        assert!(times.iter().min() < times.iter().max(), "people do not tick like clocks");
        times.iter().map(Duration::as_secs_f64).sum::<f64>() / 2000.0
    }

    #[test]
    fn people_think_where_moves_compete_and_not_in_openings() {
        let usual = mean_seconds(40, &[0.35, 0.3, 0.25, 0.1]);
        assert!((3.5..4.5).contains(&usual), "about the budget: {usual} s");
        let obvious = mean_seconds(40, &[0.99, 0.01]);
        let only = mean_seconds(40, &[1.0]);
        let hard = mean_seconds(40, &[0.05; 20]);
        let known = mean_seconds(4, &[0.35, 0.3, 0.25, 0.1]);
        assert!(
            only <= obvious && obvious < known && known < usual && usual < hard,
            "{only} {obvious} {known} {usual} {hard}"
        );
    }
}
