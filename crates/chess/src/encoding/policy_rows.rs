//! Moves as rows of weights: the policy of a sparse network scores a move by the row of the move and the row of its kind.

use std::sync::LazyLock;

use shakmaty::{Chess, Move};

use crate::{
    board_view::{BISHOP, BoardView, KING, KNIGHT, PAWN, QUEEN, ROOK, attacks_of, squares},
    static_exchange::Exchange,
};

/// Rows of moves: each move of a kind of piece, castling and promotions included, with a bad exchange, then with a good one.
pub const MOVE_ROWS: usize = 2 * MOVES;

/// Rows of kinds of moves: moving role (6) x captured role or none (6) x check or not x good exchange or not.
pub const KIND_ROWS: usize = 6 * 6 * 2 * 2;

/// Moves of pieces by origin and target: of pawns without double steps and promotions, of knights, bishops, rooks, queens, kings.
const STEPS: usize = 110 + 336 + 560 + 896 + 1456 + 420;

/// Promotions to four roles: from a file to the same file and its neighbours.
const PROMOTIONS: usize = STEPS;

/// Number of promotions to one role.
const TO_ONE_ROLE: usize = 22;

/// Castling towards file a and file h of the view.
const CASTLING: usize = PROMOTIONS + 4 * TO_ONE_ROLE;

/// First of the double steps, one for each file.
const DOUBLE_STEPS: usize = CASTLING + 2;

/// Number of moves before the split by exchanges.
const MOVES: usize = DOUBLE_STEPS + 8;

/// Loss in centipawns up to which an exchange still counts as good: a knight for a bishop and a little more, as in Monty's
/// policy network.
const GOOD_EXCHANGE: i32 = -108;

/// The rows of a position's moves.
///
/// The view is that of [`crate::encoding::features`]: the mover's, mirrored so that its king stands on files
/// a to d. After the policy network of Monty (<https://github.com/official-monty/Monty>), which splits its
/// rows by the exchange too; the kinds are this project's.
///
/// # Laws
/// 1. Rows are below [`MOVE_ROWS`] and [`KIND_ROWS`], and no two legal moves of a position share the row of the move.
/// 2. A position and its colour-flipped twin give equal rows for flipped moves, and so does its mirror image (file a
///    becomes file h).
///
/// `laws::policy_rows::check` tests them.
///
/// ```
/// use chess::{Game, encoding::policy_rows::PolicyRows};
///
/// let game = Game::default();
/// let rows = PolicyRows::new(game.position());
/// let all: Vec<(u16, u16)> = game.legal_moves().into_iter().map(|chess_move| rows.of(chess_move)).collect();
/// assert_eq!(all.len(), 20);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PolicyRows {
    view: BoardView,
    /// For each role, the squares from which it would give check.
    checks: [u64; 6],
    steps: &'static Steps,
}

impl PolicyRows {
    /// Prepares the rows of a position's moves. Allocates nothing.
    pub fn new(position: &Chess) -> Self {
        let view = BoardView::new(position);
        let (king, occupied) = (view.king(1), view.occupied());
        let mut checks = [0; 6];
        for role in [PAWN, KNIGHT, BISHOP, ROOK, QUEEN] {
            // A piece gives check from the squares that an opponent's piece of its role would attack from the king's square.
            checks[role] = attacks_of(6 + role, king, occupied);
        }
        Self { view, checks, steps: &STEP_TABLE }
    }

    /// The row of a legal move, below [`MOVE_ROWS`], and the row of its kind, below [`KIND_ROWS`].
    ///
    /// Only checks by the moving piece count; castling counts as a good exchange without check.
    pub fn of(&self, chess_move: Move) -> (u16, u16) {
        let Some(exchange) = Exchange::of(&self.view, chess_move) else { return self.castling(chess_move) };
        let Exchange { from, to, role, captured, .. } = exchange;
        let moving = self.view.role_at(from).unwrap_or(KING);
        let promoted = chess_move.promotion().map(|role| role as usize - 1);
        let good = exchange.wins(&self.view, GOOD_EXCHANGE);
        let row = match promoted {
            Some(role) => PROMOTIONS + TO_ONE_ROLE * (role - KNIGHT) + 2 * (from % 8) + to % 8,
            None if moving == PAWN && to == from + 16 => DOUBLE_STEPS + from % 8,
            None => self.steps.row(moving, from, to),
        };
        let check = self.checks[role] >> to & 1 == 1;
        rows(row, moving, captured, check, good)
    }

    fn castling(&self, chess_move: Move) -> (u16, u16) {
        let rook_file = self.view.square(chess_move.to()) % 8;
        let towards_h = chess_move.from().is_some_and(|king| rook_file > self.view.square(king) % 8);
        rows(CASTLING + usize::from(towards_h), KING, None, false, true)
    }
}

fn rows(row: usize, moving: usize, captured: Option<usize>, check: bool, good: bool) -> (u16, u16) {
    let captured = captured.map_or(0, |role| 1 + role);
    let kind = ((6 * moving + captured) * 2 + usize::from(check)) * 2 + usize::from(good);
    ((row + MOVES * usize::from(good)) as u16, kind as u16)
}

/// Numbers the moves from each square to each square that a role reaches on an empty board.
#[derive(Debug)]
struct Steps {
    /// For each role, the rows by origin and target.
    rows: Vec<[[u16; 64]; 64]>,
}

static STEP_TABLE: LazyLock<Steps> = LazyLock::new(Steps::new);

impl Steps {
    fn new() -> Self {
        let mut rows = vec![[[0; 64]; 64]; 6];
        let mut next = 0;
        for (role, of_role) in rows.iter_mut().enumerate() {
            for (from, of_square) in of_role.iter_mut().enumerate() {
                let targets = match (role, from / 8) {
                    (PAWN, 1..6) => attacks_of(PAWN, from, 0) | 1 << (from + 8),
                    // No pawn stands on the outer ranks, and those before the last promote.
                    (PAWN, _) => 0,
                    _ => attacks_of(role, from, 0),
                };
                squares(targets, |to| {
                    of_square[to] = next;
                    next += 1;
                });
            }
        }
        assert_eq!(usize::from(next), STEPS, "steps of all roles");
        Self { rows }
    }

    fn row(&self, role: usize, from: usize, to: usize) -> usize {
        usize::from(self.rows[role][from][to])
    }
}
