//! The squares that a side's legal moves go to, whether or not it is its turn.

use shakmaty::{
    Bitboard, Board, CastlingSide, Chess, Color, Move, Piece, Position, Rank, Role, Square, attacks,
};

/// The squares that legal moves of `color` go to. For the side not to move, they are computed as after a null
/// move, so they may include the capture of the king.
pub(super) fn reach(position: &Chess, color: Color) -> Bitboard {
    if position.turn() == color {
        position.legal_moves().into_iter().map(|chess_move| destination(chess_move, color)).collect()
    } else {
        reach_out_of_turn(position, color)
    }
}

/// Target square of a move; for castling, that of the king.
fn destination(chess_move: Move, color: Color) -> Square {
    chess_move.castling_side().map_or(chess_move.to(), |side| side.king_to(color))
}

/// Move by move: each square that a piece attacks or a pawn steps to, if the side's own king is safe
/// afterwards. Out of turn there is no capture en passant.
fn reach_out_of_turn(position: &Chess, color: Color) -> Bitboard {
    let board = position.board();
    let mut found = Bitboard::EMPTY;
    for from in board.by_color(color) {
        let Some(piece) = board.piece_at(from) else { continue };
        for to in targets(board, from, piece) & !found {
            if is_safe_after(board, from, to, piece) {
                found.add(to);
            }
        }
    }
    for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
        if may_castle(position, color, side) {
            found.add(side.king_to(color));
        }
    }
    found
}

fn targets(board: &Board, from: Square, piece: Piece) -> Bitboard {
    if piece.role != Role::Pawn {
        return board.attacks_from(from) & !board.by_color(piece.color);
    }
    let mut found = board.attacks_from(from) & board.by_color(!piece.color);
    let (step, home) = if piece.color.is_white() { (8, Rank::Second) } else { (-8, Rank::Seventh) };
    if let Some(one) = from.offset(step).filter(|&one| !board.occupied().contains(one)) {
        found.add(one);
        if let Some(two) = one.offset(step).filter(|&two| !board.occupied().contains(two))
            && from.rank() == home
        {
            found.add(two);
        }
    }
    found
}

/// True if the king of a piece's side is safe once the piece has gone from one square to another.
fn is_safe_after(board: &Board, from: Square, to: Square, piece: Piece) -> bool {
    let mut after = board.clone();
    after.discard_piece_at(from);
    after.set_piece_at(to, piece);
    after.king_of(piece.color).is_none_or(|king| !is_attacked(&after, king, !piece.color, after.occupied()))
}

fn may_castle(position: &Chess, color: Color, side: CastlingSide) -> bool {
    let (board, castles) = (position.board(), position.castles());
    let Some((king, rook)) = board.king_of(color).zip(castles.rook(color, side)) else { return false };
    let without_king = board.occupied() ^ Bitboard::from(king);
    let king_path = attacks::between(king, side.king_to(color)).with(king);
    // The rook has left its square and shields the king from behind when the king arrives.
    let arrived = without_king ^ Bitboard::from(rook) | Bitboard::from(side.rook_to(color));
    (castles.path(color, side) & board.occupied()).is_empty()
        && !king_path.into_iter().any(|square| is_attacked(board, square, !color, without_king))
        && !is_attacked(board, side.king_to(color), !color, arrived)
}

/// True if pieces of `by` attack the square, with the lines of sliders ended by `occupied`.
fn is_attacked(board: &Board, square: Square, by: Color, occupied: Bitboard) -> bool {
    board.attacks_to(square, by, occupied).any()
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{Game, laws};

    fn squares(fen: &str, color: Color) -> Vec<String> {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        reach(game.position(), color).into_iter().map(|square| square.to_string()).collect()
    }

    /// If the other side could be given the turn, its legal moves are the reference; otherwise it could take the king.
    #[test]
    fn out_of_turn_agrees_with_the_rules_after_a_null_move() {
        let (mut compared, mut refused) = (0, 0);
        for game in laws::sample_games(11, 900) {
            let color = !game.turn();
            let found = reach_out_of_turn(game.position(), color);
            let Ok(passed) = game.position().clone().swap_turn() else {
                let king = game.position().our(Role::King);
                assert!(!(found & king).is_empty(), "{} is check: the king can be taken", game.fen());
                refused += 1;
                continue;
            };
            assert_eq!(found, reach(&passed, color), "{}", game.fen());
            compared += 1;
        }
        assert!(compared > 500 && refused > 30, "{compared} {refused}");
    }

    #[test]
    fn castling_ends_on_the_kings_square_and_needs_a_safe_path() {
        let rooks = "4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1";
        assert!(squares(rooks, Color::White).contains(&"g1".into()));
        assert!(squares(rooks, Color::White).contains(&"c1".into()));
        // f1 is attacked: the king may not cross it, and so cannot castle to g1 either.
        let guarded = "4k1r1/8/8/8/8/8/6pp/R3K3 b Q - 0 1";
        assert!(!squares(guarded, Color::White).contains(&"f1".into()));
        assert!(squares(guarded, Color::White).contains(&"c1".into()));
    }
}
