//! Functions on moves and the positions after them, shared by the searches that count material.

use chess::{
    Chess, Move, Position,
    evaluator::piece_value,
    shakmaty::{Bitboard, attacks},
};

pub(crate) use chess::played;

/// True if there is a legal move. It seldom has to generate any: outside check, a piece that shares no line with its king
/// is not pinned.
pub(crate) fn can_move(position: &Chess) -> bool {
    let (board, turn) = (position.board(), position.turn());
    // A shortcut for leaves, of which a search visits millions and which nearly always have a move: a pawn or knight that shares no
    // rank, file or diagonal with its king cannot be pinned, so a step of it to a free square is legal without a further test. Only
    // if there is none are the moves generated.
    if let Some(king) = board.king_of(turn).filter(|_| !position.is_check()) {
        let lines = attacks::queen_attacks(king, Bitboard::EMPTY);
        let free = position.us() & !lines;
        let pushed =
            if turn.is_white() { (free & board.pawns()).shift(8) } else { (free & board.pawns()).shift(-8) };
        if (pushed & !board.occupied()).any() {
            return true;
        }
        for knight in free & board.knights() {
            if (attacks::knight_attacks(knight) & !position.us()).any() {
                return true;
            }
        }
    }
    !position.legal_moves().is_empty()
}

/// The index of the first of the legal `moves` that mates. Only moves that may give check are tried.
pub(crate) fn mating_move(position: &Chess, moves: &[Move]) -> Option<usize> {
    let checks = Checks::new(position);
    moves
        .iter()
        .position(|&chess_move| checks.may_give(chess_move) && played(position, chess_move).is_checkmate())
}

/// Precomputed squares from which moves may give check.
struct Checks {
    /// The squares from which a piece of each role attacks the opponent's king.
    from: [Bitboard; 6],
    /// Pieces of the side to move that may stand between the king and a piece behind them.
    screens: Bitboard,
}

impl Checks {
    fn new(position: &Chess) -> Self {
        let (board, turn) = (position.board(), position.turn());
        let Some(king) = board.king_of(!turn) else {
            return Self { from: [Bitboard::FULL; 6], screens: Bitboard::FULL };
        };
        let occupied = board.occupied();
        let lines = [attacks::rook_attacks(king, occupied), attacks::bishop_attacks(king, occupied)];
        let sliders = [board.rooks() | board.queens(), board.bishops() | board.queens()];
        // With the nearest own piece removed from each line, a piece that then attacks the king stood behind one of
        // them.
        let straight = attacks::rook_attacks(king, occupied & !(lines[0] & position.us()));
        let diagonal = attacks::bishop_attacks(king, occupied & !(lines[1] & position.us()));
        let behind = (straight & sliders[0]) | (diagonal & sliders[1]);
        let has_screens = (behind & position.us()).any();
        let screens = if has_screens { (lines[0] | lines[1]) & position.us() } else { Bitboard::EMPTY };
        let pawns = attacks::pawn_attacks(!turn, king);
        let from =
            [pawns, attacks::knight_attacks(king), lines[1], lines[0], lines[0] | lines[1], Bitboard::EMPTY];
        Self { from, screens }
    }

    /// False only if the move gives no check. Always true for castling, promotions and captures en passant,
    /// which empty squares other than their origin or attack through it.
    fn may_give(&self, chess_move: Move) -> bool {
        match chess_move {
            Move::Normal { role, from, to, promotion: None, .. } => {
                self.from[role as usize - 1].contains(to) || self.screens.contains(from)
            }
            _ => true,
        }
    }
}

/// True if a move neither captures nor promotes.
pub(crate) fn is_quiet(chess_move: Move) -> bool {
    !chess_move.is_capture() && !chess_move.is_promotion()
}

/// Pawns that a move takes from the opponent or adds to its own side.
pub(crate) fn captured_value(chess_move: Move) -> i32 {
    chess_move.capture().map_or(0, piece_value)
        + chess_move.promotion().map_or(0, |role| piece_value(role) - piece_value(chess::Role::Pawn))
}

#[cfg(test)]
mod tests {
    use chess::laws;

    use super::*;

    #[test]
    fn every_move_that_checks_may_and_the_mate_is_the_one_found_by_trying_all() {
        let (mut checks_seen, mut mates_seen, mut spared) = (0, 0, 0);
        for game in laws::sample_games(17, 400) {
            let position = game.position();
            let moves = game.legal_moves();
            let checks = Checks::new(position);
            for &chess_move in &moves {
                let gives = played(position, chess_move).is_check();
                assert!(!gives || checks.may_give(chess_move), "{chess_move} in {}", game.fen());
                checks_seen += usize::from(gives);
                spared += usize::from(!checks.may_give(chess_move));
            }
            assert_eq!(can_move(position), !moves.is_empty(), "{}", game.fen());
            let expected = moves.iter().position(|&chess_move| played(position, chess_move).is_checkmate());
            assert_eq!(mating_move(position, &moves), expected, "{}", game.fen());
            mates_seen += usize::from(expected.is_some());
        }
        assert!(
            checks_seen > 100 && mates_seen > 0 && spared > 10 * checks_seen,
            "{checks_seen} {mates_seen} {spared}"
        );
    }
}
