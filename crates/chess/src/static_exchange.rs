//! Static exchange evaluation: the material that a move wins on its target square if both sides keep capturing there.
//!
//! Both sides capture with their least valuable piece, stop when continuing would lose, and ignore pins and promotions
//! on the way. Described at <https://www.chessprogramming.org/Static_Exchange_Evaluation>; the form with a threshold is
//! that of Stockfish's `see_ge`.
//!
//! The question is only whether the mover wins at least a threshold, so the whole list of gains is not needed: one number is
//! enough, and most moves are decided by the first capture. `balance` is what the side that captured last is ahead of its goal
//! *if it loses the piece it captured with*. From there
//!
//! ```text
//! balance >= 0   the side that captured last has won: the opponent may as well stop
//! balance < 0    the opponent captures back, or has lost
//! ```
//!
//! After a capture the roles change, hence `-balance - 1 - value`: the goal of the mover is "at least", that of the opponent
//! "less than", and in whole centipawns the one is the other's negation less 1.

use shakmaty::{Chess, Move};

use crate::board_view::{BISHOP, BoardView, KING, KNIGHT, PAWN, QUEEN, ROOK, attacks_of};

/// The static exchange evaluation (SEE) of a position's moves.
#[derive(Clone, Copy, Debug)]
pub struct StaticExchange {
    view: BoardView,
}

impl StaticExchange {
    /// Prepares the exchanges of all moves of a position. Does not allocate.
    pub fn new(position: &Chess) -> Self {
        Self { view: BoardView::new(position) }
    }

    /// True if a legal move does not lose material on its target square.
    pub fn is_safe(&self, chess_move: Move) -> bool {
        Exchange::of(&self.view, chess_move).is_none_or(|exchange| exchange.wins(&self.view, 0))
    }
}

/// Values of the roles in centipawns, those of Monty's policy network. A king is never lost: it captures last or not at all.
pub(crate) const VALUES: [i32; 6] = [100, 450, 450, 650, 1250, 0];

/// A move as an exchange sees it, in squares of the view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// Square the capturing piece comes from.
    pub(crate) from: usize,
    /// Square of the exchange.
    pub(crate) to: usize,
    /// Role of the piece on the target afterwards: the promoted one for a promotion.
    pub(crate) role: usize,
    /// Role of the captured piece, if any.
    pub(crate) captured: Option<usize>,
    /// True if the captured pawn stands a rank behind the target.
    pub(crate) en_passant: bool,
}

impl Exchange {
    /// The exchange that a legal move begins; `None` for castling.
    pub(crate) fn of(view: &BoardView, chess_move: Move) -> Option<Self> {
        let (from, to, promotion) = match chess_move {
            Move::Castle { .. } => return None,
            Move::Normal { from, to, promotion, .. } => (from, to, promotion),
            Move::EnPassant { from, to } => (from, to, None),
            // A drop, which chess does not have.
            Move::Put { to, .. } => (to, to, None),
        };
        let (from, to) = (view.square(from), view.square(to));
        let en_passant = matches!(chess_move, Move::EnPassant { .. });
        let captured = if en_passant { Some(PAWN) } else { view.role_at(to) };
        let promoted = promotion.map(|role| role as usize - 1);
        let role = promoted.or_else(|| view.role_at(from)).unwrap_or(KING);
        Some(Self { from, to, role, captured, en_passant })
    }

    /// True if the mover wins at least `threshold` centipawns.
    pub(crate) fn wins(self, view: &BoardView, threshold: i32) -> bool {
        let mut balance = self.captured.map_or(0, |role| VALUES[role]) - threshold;
        if balance < 0 {
            return false;
        }
        balance -= VALUES[self.role];
        if balance >= 0 {
            return true;
        }
        // Both numbers so far need no bitboards: what is captured, and the mover's own piece. Only moves that lose the exchange
        // if the piece is taken back come here.
        let mut field = Field::after(view, self);
        // The side to capture next has the negative balance; the side that cannot capture has lost the exchange.
        let mut side = 1;
        while let Some(role) = field.capture(side) {
            side ^= 1;
            balance = -balance - 1 - VALUES[role];
            if balance >= 0 {
                // A king cannot capture a protected piece.
                let illegal = role == KING && field.attackers & view.sides[side] != 0;
                return (side ^ usize::from(illegal)) == 1;
            }
        }
        side == 1
    }
}

/// The pieces around a target square while the exchange uses them up.
struct Field<'a> {
    view: &'a BoardView,
    to: usize,
    occupied: u64,
    attackers: u64,
}

impl<'a> Field<'a> {
    fn after(view: &'a BoardView, exchange: Exchange) -> Self {
        let to = exchange.to;
        let mut occupied = (view.occupied() & !(1 << exchange.from)) | 1 << to;
        if exchange.en_passant {
            occupied &= !(1 << (to - 8));
        }
        // A pawn attacks the target where the target would attack it as a pawn of the other side.
        let pawns = attacks_of(6 + PAWN, to, 0) & view.sides[0] | attacks_of(PAWN, to, 0) & view.sides[1];
        let attackers = pawns & view.roles[PAWN]
            | attacks_of(KNIGHT, to, 0) & view.roles[KNIGHT]
            | attacks_of(KING, to, 0) & view.roles[KING];
        let mut field = Self { view, to, occupied, attackers };
        field.open_diagonals();
        field.open_lines();
        field.attackers &= occupied;
        field
    }

    fn open_diagonals(&mut self) {
        let pieces = self.view.roles[BISHOP] | self.view.roles[QUEEN];
        self.attackers |= attacks_of(BISHOP, self.to, self.occupied) & pieces;
    }

    fn open_lines(&mut self) {
        let pieces = self.view.roles[ROOK] | self.view.roles[QUEEN];
        self.attackers |= attacks_of(ROOK, self.to, self.occupied) & pieces;
    }

    /// Removes the least valuable attacker of a side and adds the attackers behind it; returns its role, `None` if
    /// there is no attacker.
    fn capture(&mut self, side: usize) -> Option<usize> {
        let own = self.attackers & self.view.sides[side];
        // Roles are numbered from pawn to king, which is the order of their values, so the first one found is the least valuable.
        let role = self.view.roles.iter().position(|pieces| pieces & own != 0)?;
        let pieces = self.view.roles[role] & own;
        self.occupied ^= pieces & pieces.wrapping_neg();
        // Only a piece that stood on a line to the target can have hidden another one (x-rays); knights and kings hide none that
        // matters: a knight is on no such line, and behind a king nothing captures legally.
        if matches!(role, PAWN | BISHOP | QUEEN) {
            self.open_diagonals();
        }
        if matches!(role, ROOK | QUEEN) {
            self.open_lines();
        }
        self.attackers &= self.occupied;
        Some(role)
    }
}

#[cfg(test)]
mod tests;
