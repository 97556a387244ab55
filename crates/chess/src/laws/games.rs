//! Games for the law suites, and the transformations under which laws must hold.

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, Square};

use crate::{
    Game, PlayerRatings,
    split_mix::{mix, spread},
};

/// Starting positions of the random games, for situations that the orthodox start rarely reaches.
const STARTS: [(&str, CastlingMode); 15] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", CastlingMode::Standard),
    // Castling to both sides, pins, en passant: "Kiwipete" of Peter McKenzie.
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", CastlingMode::Standard),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CastlingMode::Standard),
    ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 4 9", CastlingMode::Standard),
    // Promotions with and without capture, for both sides.
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1", CastlingMode::Standard),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", CastlingMode::Standard),
    // En passant to either side, from either colour; the last one would expose the king.
    ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2", CastlingMode::Standard),
    ("4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 2", CastlingMode::Standard),
    ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", CastlingMode::Standard),
    // Endgames near the fifty-move limit, where repetitions are frequent.
    ("8/8/4k3/8/8/3QK3/8/8 w - - 88 90", CastlingMode::Standard),
    ("8/5k2/8/8/8/2K5/8/r6R b - - 97 130", CastlingMode::Standard),
    // Chess960: rooks inside, king next to the rook, castling that moves only one piece.
    ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", CastlingMode::Chess960),
    ("1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1", CastlingMode::Chess960),
    ("rk4r1/8/8/8/8/8/8/RK4R1 b GAga - 0 1", CastlingMode::Chess960),
    ("2rkr3/8/8/8/8/8/8/2RKR3 w ECec - 0 1", CastlingMode::Chess960),
];

/// Upper bound for the plies of a random game.
const LONGEST_GAME: u64 = 90;

/// Upper bound for a third of the games, to stay near the starting positions.
const NEAR_START: u64 = 4;

/// `count` random games from positions with castling, promotions, en passant, long shuffles and Chess960, White or Black to
/// move; equal seeds give equal games. Most players have ratings. Some games are over: their last position has no legal
/// move.
///
/// # Panics
/// Never: the starts are legal.
pub fn sample_games(seed: u64, count: usize) -> Vec<Game> {
    let mut random = SplitMix64(seed);
    (0..count)
        .map(|number| {
            let (fen, mode) = STARTS[number % STARTS.len()];
            let mut game = Game::from_fen(fen, mode).expect("the starts are legal");
            let longest = if random.below(3) == 0 { NEAR_START } else { LONGEST_GAME };
            for _ in 0..random.below(longest) {
                let moves = game.legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
            }
            game.with_ratings(PlayerRatings { white: rating(number, 0), black: rating(number, 1) })
        })
        .collect()
}

/// A player's rating in the game of this number; one of four players has none.
fn rating(number: usize, player: usize) -> Option<u16> {
    (number % 4 != player).then(|| 400 + (number * 577 * (1 + player) % 2400) as u16)
}

/// The game with the board mirrored from White's side to Black's and the colours (ratings too) swapped.
///
/// # Panics
/// If the mirrored starting position is illegal, which would be a bug of the rules library.
#[must_use]
pub fn colour_flipped(game: &Game) -> Game {
    let history = game.history();
    let mode = game.castling_mode();
    let start = flipped_position(&history[0].position, mode);
    let mut flipped = Game::from_recorded(start, history[0].repetitions, mode);
    for (chess_move, entry) in game.moves().iter().zip(&history[1..]) {
        flipped.play_recorded(chess_move.to_mirrored(), entry.repetitions);
    }
    let PlayerRatings { white, black } = game.ratings();
    flipped.with_ratings(PlayerRatings { white: black, black: white })
}

/// Quiet positions in which one colour is a queen up: either colour, with either side to move. Each with the queen's owner.
///
/// # Panics
/// Never: the positions are legal.
pub fn queen_ahead() -> Vec<(Game, Color)> {
    ["4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1", "4k3/pppp4/8/8/8/8/PPPP4/3QK3 b - - 0 1"]
        .into_iter()
        .map(|fen| Game::from_fen(fen, CastlingMode::Standard).expect("the positions are legal"))
        .flat_map(|game| [(colour_flipped(&game), Color::Black), (game, Color::White)])
        .collect()
}

pub(super) fn flipped_position(position: &Chess, mode: CastlingMode) -> Chess {
    let setup = position.to_setup(EnPassantMode::Always).into_mirrored();
    Chess::from_setup(setup, mode).expect("the mirror image of a legal position is legal")
}

/// The mirror image of a position (file a becomes file h); `None` if a side may castle: castling has no mirror image.
///
/// # Panics
/// If the mirrored position is illegal, which would be a bug of the rules library.
pub fn files_exchanged(position: &Chess) -> Option<Chess> {
    let mut setup = position.to_setup(EnPassantMode::Always);
    if setup.castling_rights.any() {
        return None;
    }
    setup.board.flip_horizontal();
    setup.ep_square = setup.ep_square.map(Square::flip_horizontal);
    Some(
        Chess::from_setup(setup, CastlingMode::Standard)
            .expect("the mirror image of a legal position is legal"),
    )
}

/// The end of a game as a stored sample keeps it: its last `positions` positions with their repetition counts.
#[must_use]
pub fn recorded_end(game: &Game, positions: usize) -> Game {
    let history = game.history();
    let first = history.len().saturating_sub(positions.max(1));
    let start = &history[first];
    let mut end = Game::from_recorded(start.position.clone(), start.repetitions, game.castling_mode());
    for (chess_move, entry) in game.moves()[first..].iter().zip(&history[first + 1..]) {
        end.play_recorded(*chess_move, entry.repetitions);
    }
    end.with_ratings(game.ratings())
}

/// SplitMix64, to avoid a dependency on a random number crate for test games.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(spread(1));
        mix(self.0)
    }

    /// A number below `bound`; the bias of the remainder does not matter for test games.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}
