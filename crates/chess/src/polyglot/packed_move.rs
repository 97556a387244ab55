//! Moves in Polyglot's 16 bits.

use shakmaty::{File, Move, Role, Square};

/// The bits of a move, from the lowest: target file and rank, origin file and rank (three each), promotion (0 none, 1 knight
/// to 4 queen). Castling goes from the king's square to the rook's.
pub(super) fn pack(chess_move: Move) -> u16 {
    let (from, to) = match chess_move {
        Move::Castle { king, rook } => (king, rook),
        // `Put` exists only in variants that shakmaty is built without.
        other => (other.from().unwrap_or(other.to()), other.to()),
    };
    let promotion = match chess_move.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    number(to) | number(from) << 6 | promotion << 12
}

/// True if the bits name a move. Some programs write castling as the king's step (`e1g1`). It is accepted in
/// orthodox chess only: in Chess960 the same step may be an ordinary king move.
pub(super) fn is_named(chess_move: Move, packed: u16) -> bool {
    let king_step = match chess_move {
        Move::Castle { king, rook } if king.file() == File::E && matches!(rook.file(), File::A | File::H) => {
            let file = if rook.file() == File::H { File::G } else { File::C };
            Some(number(Square::from_coords(file, king.rank())) | number(king) << 6)
        }
        _ => None,
    };
    pack(chess_move) == packed || king_step == Some(packed)
}

/// 0 is a1, 7 is h1, 63 is h8.
fn number(square: Square) -> u16 {
    u16::from(u8::from(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CastlingMode, Game, parse_uci_move};

    #[test]
    fn bits_are_those_of_the_description() {
        let packed = |fen: &str, text: &str| {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            pack(parse_uci_move(game.position(), text).unwrap())
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(packed(start, "e2e4"), (3 << 3 | 4) | (1 << 3 | 4) << 6);
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(packed(castling, "e1g1"), 7 | 4 << 6, "king takes rook");
        assert_eq!(packed(castling, "e1c1"), 4 << 6);
        let game = Game::from_fen(castling, CastlingMode::Standard).unwrap();
        for (text, step) in [("e1g1", Some(6 | 4 << 6)), ("e1c1", Some(2 | 4 << 6)), ("e1f1", None)] {
            let chess_move = parse_uci_move(game.position(), text).unwrap();
            assert!(is_named(chess_move, pack(chess_move)), "{text}");
            assert!(step.is_none_or(|step| is_named(chess_move, step)), "{text}");
        }
        let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        for (text, piece) in [("a7a8n", 1), ("a7a8b", 2), ("a7a8r", 3), ("a7a8q", 4)] {
            assert_eq!(packed(promotion, text), 0o70 | 0o60 << 6 | piece << 12);
        }
    }
}
