//! The default input with the attacks of the pieces.

use shakmaty::{Bitboard, Board, Color, Piece, Position, attacks};

use super::{
    InputEncoding, Plane, TabiyaPlanes,
    pieces::{OWN_AND_THEIR, PIECE_PLANES, ROLES, piece_name, viewed_plane},
    tabiya::PLANES as POSITION_PLANES,
};
use crate::Game;

/// `tabiya-attacks`: the planes of `tabiya`, then attacks, pins and checks.
///
/// | plane | content |
/// |---|---|
/// | 0-19 | as in `tabiya` |
/// | 20-25 | squares that own pawns, knights, bishops, rooks, queens, the king attack, including own pieces that they protect |
/// | 26-31 | the same for the opponent |
/// | 32, 33 | squares that two or more own pieces attack; the opponent's |
/// | 34, 35 | own pieces pinned to the king; the opponent's |
/// | 36-38 | squares, empty or not, from which a knight, a bishop, a rook would give check to the opponent's king |
/// | 39-41 | the same for checks to the mover's king |
///
/// A small tower of 3x3 convolutions spends most of its layers on following lines across the board. Attack planes gave
/// Monty's value network 36 to 48 Elo ("threats"), and derived planes helped small networks in Czech et al. (arXiv
/// 2304.14918).
#[derive(Clone, Copy, Debug)]
pub struct TabiyaAttacksPlanes;

/// After the attacks by role of both sides.
const TWICE: usize = PIECE_PLANES;
const PINNED: usize = TWICE + 2;
const CHECKS: usize = PINNED + 2;
const ADDED: usize = CHECKS + 6;

impl InputEncoding for TabiyaAttacksPlanes {
    fn name(&self) -> &'static str {
        "tabiya-attacks"
    }

    fn planes(&self) -> usize {
        POSITION_PLANES + ADDED
    }

    fn extends(&self) -> Option<&'static str> {
        Some(TabiyaPlanes.name())
    }

    fn channel_name(&self, channel: usize) -> String {
        let Some(added) = channel.checked_sub(POSITION_PLANES) else {
            return TabiyaPlanes.channel_name(channel);
        };
        match added {
            0..TWICE => format!("attacked by {}", piece_name(OWN_AND_THEIR, added)),
            TWICE..PINNED => format!("attacked by two {} pieces", OWN_AND_THEIR[added - TWICE]),
            PINNED..CHECKS => format!("{} pinned pieces", OWN_AND_THEIR[added - PINNED]),
            _ => {
                let king = ["their", "own"][(added - CHECKS) / 3];
                format!(
                    "{} check {king} king from here",
                    ["knights", "bishops", "rooks"][(added - CHECKS) % 3]
                )
            }
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let (position, added) = planes.split_at_mut(POSITION_PLANES);
        TabiyaPlanes.encode(game, position);
        let (board, mover) = (game.position().board(), game.turn());
        for (side, color) in [mover, !mover].into_iter().enumerate() {
            let by_role = &mut added[side * ROLES.len()..][..ROLES.len()];
            let twice = write_attacks(board, color, mover, by_role);
            added[TWICE + side] = viewed_plane(twice, mover);
            added[PINNED + side] = viewed_plane(pinned(board, color), mover);
            let checks = &mut added[CHECKS + side * 3..][..3];
            checks.fill(Plane::EMPTY);
            if let Some(king) = board.king_of(!color) {
                checks[0] = viewed_plane(attacks::knight_attacks(king), mover);
                checks[1] = viewed_plane(attacks::bishop_attacks(king, board.occupied()), mover);
                checks[2] = viewed_plane(attacks::rook_attacks(king, board.occupied()), mover);
            }
        }
    }
}

/// Writes the attacks of each role of a side as `viewer` sees them; returns the squares attacked twice.
fn write_attacks(board: &Board, color: Color, viewer: Color, planes: &mut [Plane]) -> Bitboard {
    let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for (role, plane) in ROLES.into_iter().zip(planes) {
        let piece = Piece { color, role };
        let mut of_role = Bitboard::EMPTY;
        for square in board.by_piece(piece) {
            let found = attacks::attacks(square, piece, board.occupied());
            twice |= once & found;
            once |= found;
            of_role |= found;
        }
        *plane = viewed_plane(of_role, viewer);
    }
    twice
}

/// The pieces of a side that a line piece of the other would attack its king through.
fn pinned(board: &Board, color: Color) -> Bitboard {
    let Some(king) = board.king_of(color) else { return Bitboard::EMPTY };
    let on_lines = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let on_diagonals = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut found = Bitboard::EMPTY;
    for sniper in (on_lines | on_diagonals) & board.by_color(!color) {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.count() == 1 {
            found |= between & board.by_color(color);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CastlingMode;

    fn squares(fen: &str, plane: usize) -> u64 {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let mut planes = vec![Plane::flag(true); POSITION_PLANES + ADDED];
        TabiyaAttacksPlanes.encode(&game, &mut planes);
        planes[POSITION_PLANES + plane].mask
    }

    /// The squares of these names, as White sees them.
    fn named(names: &str) -> u64 {
        names.split(' ').map(|name| 1 << u32::from(name.parse::<shakmaty::Square>().unwrap())).sum()
    }

    #[test]
    fn attacks_stop_at_the_first_piece_and_protect_own_ones() {
        let fen = "4k3/8/8/3p4/4P3/8/8/R3K3 w - - 0 1";
        assert_eq!(squares(fen, 0), named("d5 f5"));
        assert_eq!(squares(fen, 3), named("a2 a3 a4 a5 a6 a7 a8 b1 c1 d1 e1"));
        assert_eq!(squares(fen, 6), named("c4 e4"));
        // Only rook and king attack d1; only the rook protects e1.
        assert_eq!(squares(fen, TWICE), named("d1"));
        assert_eq!(squares(fen, TWICE + 1), 0);
        // Black sees its own pawn attack upwards.
        assert_eq!(squares("4k3/8/8/3p4/4P3/8/8/R3K3 b - - 0 1", 0), named("c5 e5"));
    }

    #[test]
    fn pins_need_one_own_piece_between() {
        assert_eq!(squares("4r1k1/8/8/8/8/4N3/8/4K3 w - - 0 1", PINNED), named("e3"));
        assert_eq!(squares("4r1k1/8/8/4p3/8/4N3/8/4K3 w - - 0 1", PINNED), 0);
        assert_eq!(squares("4r1k1/8/8/8/8/4n3/8/4K3 w - - 0 1", PINNED), 0);
        assert_eq!(squares("6k1/5n2/8/8/2B5/8/8/4K3 w - - 0 1", PINNED + 1), named("f7"));
    }

    #[test]
    fn squares_of_checks_are_seen_from_the_king() {
        let fen = "4k3/4p3/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(squares(fen, CHECKS), named("c7 d6 f6 g7"));
        assert_eq!(squares(fen, CHECKS + 1), named("d7 c6 b5 a4 f7 g6 h5"));
        assert_eq!(squares(fen, CHECKS + 2), named("a8 b8 c8 d8 f8 g8 h8 e7"));
        assert_eq!(squares(fen, CHECKS + 3), named("c2 d3 f3 g2"));
    }
}
