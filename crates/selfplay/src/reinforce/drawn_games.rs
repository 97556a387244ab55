//! Games in which every move is drawn from the policy, all played at the same time.

use std::mem::take;

use chess::{EvaluationRequest, Evaluator, EvaluatorError, Game, Move};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ReinforceSettings;
use crate::run_engines::random_opening;

/// A game with the policies that its moves were drawn from.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct DrawnGame {
    pub game: Game,
    /// The moves, without those of the opening.
    pub moves: Vec<DrawnMove>,
}

impl DrawnGame {
    /// True if another move is to be drawn.
    fn is_open(&self, settings: &ReinforceSettings) -> bool {
        self.game.outcome().is_none() && self.moves.len() < settings.most_plies as usize
    }
}

/// A move drawn from a policy.
pub struct DrawnMove {
    /// Half-moves of the game before it.
    pub ply: usize,
    /// The legal moves, in the order of both policies.
    pub legal: Vec<Move>,
    /// Place of the move drawn among them.
    pub chosen: usize,
    /// The policy that it was drawn from.
    pub policy: Vec<f32>,
    /// The policy of the network that the run began with.
    pub start_policy: Vec<f32>,
}

/// Plays the games of an iteration; `now` draws the moves, only the policy of `start` is used.
///
/// # Errors
/// [`EvaluatorError`].
pub fn play(
    now: &dyn Evaluator,
    start: &dyn Evaluator,
    settings: &ReinforceSettings,
    iteration: u32,
) -> Result<Vec<DrawnGame>, EvaluatorError> {
    // A stream for each iteration. Seeds are small numbers, so the upper half keeps the streams of other seeds apart.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed ^ (u64::from(iteration) << 32));
    let mut games: Vec<DrawnGame> = (0..settings.games)
        .map(|_| DrawnGame { game: random_opening(settings.opening_plies, &mut random), moves: Vec::new() })
        .collect();
    loop {
        let open: Vec<usize> = (0..games.len()).filter(|&place| games[place].is_open(settings)).collect();
        if open.is_empty() {
            return Ok(games);
        }
        let legal: Vec<Vec<Move>> =
            open.iter().map(|&place| games[place].game.legal_moves().to_vec()).collect();
        let requests: Vec<EvaluationRequest<'_>> = open
            .iter()
            .zip(&legal)
            .map(|(&place, legal_moves)| EvaluationRequest { game: &games[place].game, legal_moves })
            .collect();
        let mut evaluations = now.evaluate(&requests)?;
        let mut start_evaluations = start.evaluate(&requests)?;
        drop(requests);
        // The moves are drawn in the order of the games, so that the random numbers do not depend on the evaluator.
        for (number, legal) in legal.into_iter().enumerate() {
            let policy = take(&mut evaluations[number].priors);
            let start_policy = take(&mut start_evaluations[number].priors);
            let chosen = draw(&policy, &mut random);
            let DrawnGame { game, moves } = &mut games[open[number]];
            let ply = game.ply();
            game.play_unchecked(legal[chosen]);
            moves.push(DrawnMove { ply, legal, chosen, policy, start_policy });
        }
    }
}

/// Draws a place with the probability given there.
fn draw(policy: &[f32], random: &mut Xoshiro256PlusPlus) -> usize {
    // Scaled by the sum, which rounding makes slightly more or less than one.
    let mut left = random.random::<f32>() * policy.iter().sum::<f32>();
    for (place, probability) in policy.iter().enumerate() {
        left -= probability;
        if left < 0.0 {
            return place;
        }
    }
    // Rounding may leave a remainder.
    policy.iter().rposition(|&probability| probability > 0.0).unwrap_or(0)
}

#[cfg(test)]
pub(super) mod tests {
    use chess::{CastlingMode, MaterialEvaluator, UniformEvaluator};

    use super::*;

    /// A game of these moves, without policies.
    pub(crate) fn drawn(fen: &str, moves: &[&str]) -> DrawnGame {
        let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let drawn = moves.iter().map(|text| {
            let (ply, legal) = (game.ply(), game.legal_moves().to_vec());
            let chess_move = game.play_uci(text).unwrap();
            let chosen = legal.iter().position(|legal| *legal == chess_move).unwrap();
            DrawnMove { ply, legal, chosen, policy: Vec::new(), start_policy: Vec::new() }
        });
        let moves = drawn.collect();
        DrawnGame { game, moves }
    }

    fn settings() -> ReinforceSettings {
        toml::from_str("games = 6\nmost_plies = 30").unwrap()
    }

    #[test]
    fn games_follow_their_seed_and_iteration() {
        let play = |iteration| {
            let games = play(&MaterialEvaluator, &UniformEvaluator, &settings(), iteration).unwrap();
            games.iter().map(|drawn| drawn.game.moves().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(play(1), play(1));
        assert_ne!(play(1), play(2));
    }

    #[test]
    fn every_move_comes_with_both_policies() {
        for DrawnGame { game, moves } in play(&MaterialEvaluator, &UniformEvaluator, &settings(), 1).unwrap()
        {
            assert!(moves.len() <= 30);
            for drawn in &moves {
                assert_eq!(game.moves()[drawn.ply], drawn.legal[drawn.chosen]);
                assert_eq!(drawn.policy.len(), drawn.legal.len());
                let even = 1.0 / drawn.legal.len() as f32;
                assert!(drawn.start_policy.iter().all(|share| (share - even).abs() < 1e-6));
            }
        }
    }

    #[test]
    fn moves_are_drawn_as_often_as_the_policy_says() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[draw(&[0.7, 0.0, 0.3], &mut random)] += 1;
        }
        // Four standard deviations of a binomial variate are 183.
        assert!((counts[0] - 7000_i32).abs() < 183 && counts[1] == 0, "{counts:?}");
    }
}
