//! The first-legal-move player: a baseline that shows the effect of the move order alone.

use chess::{Game, Limits, Move, Position as _, Role, StopSignal};

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

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
}
