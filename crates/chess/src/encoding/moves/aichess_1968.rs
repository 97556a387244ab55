//! The policy vector of AIChess in AIChess's own view.

use shakmaty::{Chess, Move};

use super::{MoveEncoding, geometry::king_step_on_board, uci_1968};
use crate::encoding::LawBreak;

/// `aichess-1968`: the indices of [`super::Uci1968`] for the moves in UCI notation, always in White's view,
/// so that Black's promotions have separate indices.
#[derive(Clone, Copy, Debug)]
pub struct AiChess1968;

impl MoveEncoding for AiChess1968 {
    fn name(&self) -> &'static str {
        "aichess-1968"
    }

    fn size(&self) -> usize {
        uci_1968::SIZE
    }

    fn breaks(&self) -> &'static [LawBreak] {
        &[LawBreak { law: 3, reason: "White's view: the moves of each colour are learned by themselves" }]
    }

    fn index(&self, position: &Chess, chess_move: Move) -> usize {
        uci_1968::index_of(king_step_on_board(position, chess_move), chess_move.promotion())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{Game, parse_uci_move};

    /// Indices from AIChess's list.
    #[test]
    fn known_indices_of_aichess_for_both_colours() {
        for (fen, uci, index) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", 192),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "g8f6", 186),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 907),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", 863),
            ("7k/8/8/8/8/8/p7/7K b - - 0 1", "a2a1n", 1906),
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let chess_move = parse_uci_move(game.position(), uci).unwrap();
            assert_eq!(AiChess1968.index(game.position(), chess_move), index, "{uci}");
            assert_eq!(AiChess1968.decode(game.position(), index), Some(chess_move));
        }
    }
}
