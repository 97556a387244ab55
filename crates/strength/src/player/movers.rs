//! Movers without a search, the baselines of every figure: at random, by material alone, by the order of the moves alone.

use chess::{Game, Limits, Move, Position as _, Role, StopSignal, evaluator::piece_value, played};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

/// A player without a search: a baseline for every figure. It plays one of some moves, each with the same probability.
#[derive(Clone, Copy, Debug)]
pub struct Mover {
    /// Its name in players' texts.
    pub name: &'static str,
    /// Which move it plays, for help texts.
    pub help: &'static str,
    moves: fn(&Game) -> Vec<Move>,
}

/// Plays any legal move.
pub const RANDOM: Mover =
    Mover { name: "random", help: "any legal move", moves: |game| game.legal_moves().to_vec() };

/// Plays the first legal move in the order in which python-chess generates them. Programs with a broken move
/// choice play like this one (Knights and Kernels did), so it complements the random and the greedy mover.
pub const FIRST: Mover = Mover {
    name: "first",
    help: "the first legal move in python-chess's order",
    moves: |game| {
        let check = game.position().is_check();
        game.legal_moves().into_iter().min_by_key(|&one| order(one, check)).into_iter().collect()
    },
};

/// Plays the move that wins the most material at once (pawn 1, knight and bishop 3, rook 5, queen 9; a
/// promotion wins the new piece less the pawn), checkmate above all. It looks one ply ahead, without recaptures.
pub const MATERIAL: Mover =
    Mover { name: "material", help: "the move that wins most material at once", moves: greedy };

/// Every player without a search.
pub const MOVERS: &[Mover] = &[RANDOM, FIRST, MATERIAL];

impl Mover {
    /// A new player of this kind; the seed of [`Player::new_game`] decides its choices.
    pub fn build(&self) -> Box<dyn Player> {
        Box::new(MoverPlayer { mover: *self, random: Xoshiro256PlusPlus::seed_from_u64(0) })
    }

    /// The moves among which it chooses; none if there is no legal move.
    pub fn moves(&self, game: &Game) -> Vec<Move> {
        (self.moves)(game)
    }
}

struct MoverPlayer {
    mover: Mover,
    random: Xoshiro256PlusPlus,
}

impl Player for MoverPlayer {
    fn name(&self) -> &'static str {
        self.mover.name
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _limits: &Limits, _stop: &StopSignal) -> Result<Choice, PlayerError> {
        let moves = self.mover.moves(game);
        if moves.is_empty() {
            return Err(no_legal_move(game));
        }
        let chess_move = moves[self.random.random_range(..moves.len())];
        Ok(Choice { chess_move, info: MoveInfo::default() })
    }
}

/// More than any capture can win.
const CHECKMATE: i32 = 100;

/// The moves that win most.
fn greedy(game: &Game) -> Vec<Move> {
    let gains: Vec<(Move, i32)> = game.legal_moves().iter().map(|&one| (one, gain(game, one))).collect();
    let best = gains.iter().map(|&(_, gain)| gain).max();
    gains.into_iter().filter(|&(_, gain)| Some(gain) == best).map(|(one, _)| one).collect()
}

fn gain(game: &Game, chess_move: Move) -> i32 {
    if played(game.position(), chess_move).is_checkmate() {
        return CHECKMATE;
    }
    let captured = chess_move.capture().map_or(0, piece_value);
    let promoted = chess_move.promotion().map_or(0, |role| piece_value(role) - piece_value(Role::Pawn));
    captured + promoted
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
            random: result(RANDOM.moves),
            first_legal: result(|game| game.legal_moves().iter().take(1).copied().collect()),
            material: result(greedy),
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
            let found = FIRST.moves(&game)[0];
            assert_eq!(found.to_uci(CastlingMode::Standard).to_string(), expected, "{fen}");
        }
    }

    fn choice(fen: &str) -> String {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let mut player = MATERIAL.build();
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
