//! The input of networks conditioned on the players' ratings and the last moves.

use shakmaty::Position;

use super::{
    InputEncoding, Plane, TabiyaRatedPlanes, pieces::viewed_plane, tabiya_rated::PLANES as RATED_PLANES,
};
use crate::Game;

/// `tabiya-rated-moves`: the planes of `tabiya-rated`, then the last four moves, the newest first.
///
/// | plane | content |
/// |---|---|
/// | 0-22 | as in `tabiya-rated` |
/// | 23 + 2 i | the squares that the pieces of move i left (i = 0: the opponent's last move; 1: the mover's own before; ...) |
/// | 24 + 2 i | the squares that they came to |
///
/// Castling marks two origins and two targets. Moves before the first known position are empty planes.
///
/// Human moves depend on the move just played. The Maia networks take planes of earlier positions instead
/// (McIlroy-Young et al., KDD 2020); the last moves need a twelfth of those planes.
#[derive(Clone, Copy, Debug)]
pub struct TabiyaRatedMovesPlanes;

const MOVES: usize = 4;
const PLANES: usize = RATED_PLANES + 2 * MOVES;

impl InputEncoding for TabiyaRatedMovesPlanes {
    fn name(&self) -> &'static str {
        "tabiya-rated-moves"
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn history(&self) -> usize {
        MOVES + 1
    }

    fn extends(&self) -> Option<&'static str> {
        Some(TabiyaRatedPlanes.name())
    }

    fn channel_name(&self, channel: usize) -> String {
        let Some(added) = channel.checked_sub(RATED_PLANES) else {
            return TabiyaRatedPlanes.channel_name(channel);
        };
        let whose = ["their last move", "own last move", "their move before", "own move before"];
        format!("{}: {}", whose[added / 2], ["from", "to"][added % 2])
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let (rated, moves) = planes.split_at_mut(RATED_PLANES);
        TabiyaRatedPlanes.encode(game, rated);
        moves.fill(Plane::EMPTY);
        let newest_first = game.history().windows(2).rev();
        for (pair, planes) in newest_first.zip(moves.chunks_exact_mut(2)) {
            let [before, after] = [&pair[0].position, &pair[1].position];
            let side = before.turn();
            let [was, is] = [before, after].map(|position| position.board().by_color(side));
            planes[0] = viewed_plane(was & !is, game.turn());
            planes[1] = viewed_plane(is & !was, game.turn());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(fen: &str, moves: &[&str]) -> Vec<u64> {
        let mut game = Game::from_fen(fen, crate::CastlingMode::Standard).unwrap();
        for uci in moves {
            game.play_uci(uci).unwrap();
        }
        let mut planes = vec![Plane::flag(true); PLANES];
        TabiyaRatedMovesPlanes.encode(&game, &mut planes);
        planes[RATED_PLANES..].iter().map(|plane| plane.mask).collect()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_newest_move_comes_first_as_the_mover_sees_it() {
        assert_eq!(squares(START, &[]), [0; 8]);
        // Black to move sees e2-e4 as e7-e5.
        assert_eq!(squares(START, &["e2e4"])[..4], [1 << 52, 1 << 36, 0, 0]);
        // White to move: Black's c7-c5, then e2-e4.
        assert_eq!(squares(START, &["e2e4", "c7c5"])[..4], [1 << 50, 1 << 34, 1 << 12, 1 << 28]);
        let five = ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4"];
        // The first is forgotten. The oldest of the four is c7-c5, seen by Black from below.
        assert_eq!(squares(START, &five)[6..], [1 << 10, 1 << 26]);
    }

    #[test]
    fn castling_moves_two_pieces_and_captures_only_the_own() {
        let castled = squares("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &["e1g1"]);
        // Seen by Black: e8 and h8 left, f8 and g8 entered.
        assert_eq!(castled[..2], [1 << 60 | 1 << 63, 1 << 61 | 1 << 62]);
        let captured = squares("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", &["e4d5"]);
        assert_eq!(captured[..2], [1 << 36, 1 << 27]);
        let passed = squares("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", &["e5d6"]);
        assert_eq!(passed[..2], [1 << 28, 1 << 19]);
    }
}
