//! Thinking times like a person's.
//!
//! People's thinking times are distributed log-normally. They are short in openings and where the move is
//! obvious, and longer the more moves compete (Sigman, Etchemendy, Fernandez Slezak and Cecchi, "Response
//! time distributions in rapid chess: a large-scale decision making experiment", Frontiers in Neuroscience 4,
//! 2010). The mean is the time that the search's own time management would use.

use std::time::Duration;

use chess::RootMove;
use rand_distr::{Distribution as _, LogNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::time::Budget;

// All four are judgement: the paper shows the shapes, but no constants that carry over to every clock.
/// Spread of the logarithm of the time.
const SPREAD: f64 = 0.5;
/// Entropy, in nats, of a policy whose move takes the mean time: about three and a half competing moves.
const USUAL_ENTROPY: f64 = 1.25;
/// Shortest and longest mean, as shares of the usual mean.
const LEAST: f64 = 0.15;
const MOST: f64 = 2.0;
/// Plies of the opening, mostly played from memory, and the fraction of the usual time that they take.
const OPENING_PLIES: u32 = 12;
const OPENING_SHARE: f64 = 0.3;

/// The time for a move at half-move `ply` of a game, when the policy over the root's moves has these priors. It is never more than
/// the budget's maximum.
pub(crate) fn thinking_time(
    budget: Budget,
    ply: u32,
    root_moves: &[RootMove],
    random: &mut Xoshiro256PlusPlus,
) -> Duration {
    let opening = if ply < OPENING_PLIES { OPENING_SHARE } else { 1.0 };
    let choice = (entropy(root_moves) / USUAL_ENTROPY).clamp(LEAST, MOST);
    // Its mean is 1.
    let mood = LogNormal::new(-SPREAD * SPREAD / 2.0, SPREAD).expect("the spread is positive").sample(random);
    budget.optimum.mul_f64(opening * choice * mood).min(budget.maximum)
}

/// Entropy of the priors in nats.
fn entropy(root_moves: &[RootMove]) -> f64 {
    let priors = root_moves.iter().map(|root_move| f64::from(root_move.prior));
    priors.filter(|&prior| prior > 0.0).map(|prior| -prior * libm::log(prior)).sum()
}

#[cfg(test)]
mod tests {
    use chess::Game;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

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
