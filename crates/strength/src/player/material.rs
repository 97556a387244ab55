//! The greedy mover: a baseline that only counts material.

use chess::{Game, Limits, Move, Position as _, Role, StopSignal, evaluator::piece_value, played};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

/// Plays the move that wins the most material at once (pawn 1, knight and bishop 3, rook 5, queen 9; a
/// promotion wins the new piece less the pawn), checkmate above all, random among equal moves. It looks one
/// ply ahead, without recaptures.
#[derive(Clone, Debug)]
pub struct MaterialPlayer {
    random: Xoshiro256PlusPlus,
}

/// More than any capture can win.
const CHECKMATE: i32 = 100;

impl MaterialPlayer {
    /// A greedy mover; the seed of [`Player::new_game`] decides among equal moves.
    pub fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// The moves among which the greedy mover chooses at random, each with the same probability.
    pub fn best_moves(game: &Game) -> Vec<Move> {
        let gains: Vec<(Move, i32)> = game.legal_moves().iter().map(|&one| (one, gain(game, one))).collect();
        let best = gains.iter().map(|&(_, gain)| gain).max();
        gains.into_iter().filter(|&(_, gain)| Some(gain) == best).map(|(one, _)| one).collect()
    }
}

impl Player for MaterialPlayer {
    fn name(&self) -> &'static str {
        "material"
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _limits: &Limits, _stop: &StopSignal) -> Result<Choice, PlayerError> {
        let candidates = Self::best_moves(game);
        if candidates.is_empty() {
            return Err(no_legal_move(game));
        }
        let chess_move = candidates[self.random.random_range(..candidates.len())];
        Ok(Choice { chess_move, info: MoveInfo::default() })
    }
}

fn gain(game: &Game, chess_move: Move) -> i32 {
    if played(game.position(), chess_move).is_checkmate() {
        return CHECKMATE;
    }
    let captured = chess_move.capture().map_or(0, piece_value);
    let promoted = chess_move.promotion().map_or(0, |role| piece_value(role) - piece_value(Role::Pawn));
    captured + promoted
}

#[cfg(test)]
mod tests {
    use chess::CastlingMode;

    use super::*;

    fn choice(fen: &str) -> String {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let mut player = MaterialPlayer::new(1);
        let chosen = player.choose(&game, &Limits::default(), &StopSignal::default()).unwrap();
        chosen.chess_move.to_uci(CastlingMode::Standard).to_string()
    }

    #[test]
    fn prefers_mate_to_queen_to_pawn() {
        assert_eq!(choice("6k1/5ppp/8/q7/8/8/5PPP/R3R1K1 w - - 0 1"), "e1e8");
        assert_eq!(choice("6k1/4pppp/8/8/8/q7/5PPP/R3R1K1 w - - 0 1"), "a1a3");
        assert_eq!(choice("6k1/4p1pp/8/8/8/8/5PPP/4R1K1 w - - 0 1"), "e1e7");
    }

    #[test]
    fn promotes_to_a_queen_with_capture() {
        assert_eq!(choice("r5k1/1P6/8/8/8/8/8/6K1 w - - 0 1"), "b7a8q");
    }
}
