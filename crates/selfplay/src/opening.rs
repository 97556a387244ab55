//! Random openings.

use chess::Game;
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The start position after a number of random half-moves that do not end the game.
pub(crate) fn random_opening(most: u32, random: &mut Xoshiro256PlusPlus) -> Game {
    loop {
        let mut game = Game::default();
        for _ in 0..random.random_range(0..=most) {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play_unchecked(moves[random.random_range(..moves.len())]);
        }
        // A repetition or a draw by material also ends a game, although there are legal moves.
        if game.outcome().is_none() {
            return game;
        }
    }
}
