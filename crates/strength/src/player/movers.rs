//! Movers without a search, the baselines of every figure: at random, by material alone, by the order of the moves alone.

use chess::{Game, Limits, Move, Position as _, Role, StopSignal, evaluator::piece_value, played};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

/// Plays every legal move with the same probability.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    random: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A random mover; the seed of [`Player::new_game`] decides its moves.
    pub fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &'static str {
        "random"
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _limits: &Limits, _stop: &StopSignal) -> Result<Choice, PlayerError> {
        one_of(&game.legal_moves(), &mut self.random, game)
    }
}

/// One of some moves of a game, each with the same probability.
fn one_of(moves: &[Move], random: &mut Xoshiro256PlusPlus, game: &Game) -> Result<Choice, PlayerError> {
    if moves.is_empty() {
        return Err(no_legal_move(game));
    }
    let chess_move = moves[random.random_range(..moves.len())];
    Ok(Choice { chess_move, info: MoveInfo::default() })
}

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
        one_of(&Self::best_moves(game), &mut self.random, game)
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

/// Plays the first legal move in the order in which python-chess generates them. Programs with a broken move
/// choice play like this one (Knights and Kernels did), so it complements the random and the greedy mover.
#[derive(Clone, Copy, Debug)]
pub struct FirstMovePlayer;

impl FirstMovePlayer {
    /// The first legal move in python-chess's order; `None` if there is no legal move.
    pub fn first_move(game: &Game) -> Option<Move> {
        let check = game.position().is_check();
        game.legal_moves().into_iter().min_by_key(|&one| order(one, check))
    }
}

impl Player for FirstMovePlayer {
    fn name(&self) -> &'static str {
        "first"
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game, _limits: &Limits, _stop: &StopSignal) -> Result<Choice, PlayerError> {
        let chess_move = Self::first_move(game).ok_or_else(|| no_legal_move(game))?;
        Ok(Choice { chess_move, info: MoveInfo::default() })
    }
}

/// The order of python-chess (`Board.generate_legal_moves`): the king's moves first if it is in check; pieces, castling, captures
/// of pawns, single steps, double steps, en passant; squares from h8 down to a1; queen, rook, bishop, knight.
fn order(chess_move: Move, check: bool) -> (bool, u8, [u32; 2], u8) {
    let (from, to) = (chess_move.from().unwrap_or(chess_move.to()), chess_move.to());
    let kind = match chess_move {
        Move::Castle { .. } => 1,
        Move::EnPassant { .. } => 5,
        Move::Normal { role: Role::Pawn, capture: Some(_), .. } => 2,
        Move::Normal { role: Role::Pawn, .. } if u32::from(from).abs_diff(u32::from(to)) == 8 => 3,
        Move::Normal { role: Role::Pawn, .. } => 4,
        _ => 0,
    };
    let evades = check && chess_move.role() == Role::King;
    let promotion = match chess_move.promotion() {
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Knight) => 3,
        _ => 0,
    };
    (!evades, kind, [from, to].map(|square| 63 - u32::from(square)), promotion)
}

/// Results of trivial players. Each chooses among some moves with equal probability, so its result is computed and not
/// played.
pub(crate) struct Baselines<T> {
    pub(crate) random: T,
    pub(crate) first_legal: T,
    pub(crate) material: T,
}

impl<T> Baselines<T> {
    /// The result of each, from the moves among which it chooses.
    pub(crate) fn of(result: impl Fn(fn(&Game) -> Vec<Move>) -> T) -> Self {
        Self {
            random: result(|game| game.legal_moves().to_vec()),
            first_legal: result(|game| game.legal_moves().iter().take(1).copied().collect()),
            material: result(MaterialPlayer::best_moves),
        }
    }
}

/// The probability that a uniform choice among `moves` is `wanted`.
pub(crate) fn chance_of(wanted: Move, moves: &[Move]) -> f64 {
    f64::from(u8::from(moves.contains(&wanted))) / moves.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use chess::CastlingMode;

    use super::*;

    /// From python-chess 1.11.2: `next(iter(Board(fen).legal_moves))`.
    #[test]
    fn the_first_move_is_that_of_python_chess() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1h3"),
            ("rnbqkbnr/pppppppp/8/8/8/7N/PPPPPPPP/RNBQKB1R b KQkq - 1 1", "g8h6"),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a1b2"),
            ("7k/PP6/8/8/8/1q6/8/K7 w - - 0 1", "b7b8q"),
            ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "e1e2"),
            ("6k1/8/8/3pP3/8/8/8/7K w - d6 0 2", "h1h2"),
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let found = FirstMovePlayer::first_move(&game).unwrap();
            assert_eq!(found.to_uci(CastlingMode::Standard).to_string(), expected, "{fen}");
        }
    }

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
