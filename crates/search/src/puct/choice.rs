//! The choice of the move to play among the root's moves: the best one, one drawn by temperature, or another one where the best
//! would only repeat a position.

use chess::{Game, RootMove, Score, SearchInfo};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    numbers::{REPETITION_TOLERANCE, SERIOUS_SHARE, WINNING},
    ranking::{is_proven_loss, is_proven_win, ranking},
    tree::{ROOT, Tree},
};
use crate::{
    search_report::line_of,
    temperature::{TemperatureOptions, draw},
};

/// The index of the move to play in `root_moves`, which are in ranking order: the first or, under a temperature, one
/// drawn with probability proportional to visits^(1/T), or to prior^(1/T) if nothing was visited.
///
/// A proven win is always played, and a proven loss never while there is anything else.
pub(crate) fn choose(
    tree: &Tree,
    root_moves: &[RootMove],
    options: &TemperatureOptions,
    game: &Game,
    random: &mut Xoshiro256PlusPlus,
) -> usize {
    let order = ranking(tree, ROOT);
    let certain =
        order.first().is_none_or(|&first| is_proven_win(tree, first) || is_proven_loss(tree, first));
    if certain || !options.applies(game) {
        return 0;
    }
    let candidates = order.iter().take_while(|&&ordinal| !is_proven_loss(tree, ordinal)).count();
    let root_moves = &root_moves[..candidates.min(root_moves.len())];
    let visited = root_moves.iter().any(|root_move| root_move.visits > 0);
    let weights: Vec<f64> = root_moves
        .iter()
        .map(|root_move| if visited { root_move.visits as f64 } else { f64::from(root_move.prior) })
        .collect();
    draw(&weights, f64::from(options.temperature), random)
}

/// Index of the first serious move that does not repeat, if the favourite of the winning side leads to a position that the
/// game has had before; otherwise `None`.
///
/// In the tree only the third occurrence of a position from the game counts as a draw, and the reply that completes it may
/// never have been visited. A side that never repeats its own positions cannot be caught in this way.
pub(crate) fn fresh_alternative(game: &Game, root_moves: &[RootMove]) -> Option<usize> {
    let favourite = root_moves.first()?;
    let value = favourite.wdl?.value();
    let mates = matches!(favourite.score, Some(Score::Mate(_)));
    if mates || value < WINNING || !repeats(game, favourite) {
        return None;
    }
    root_moves.iter().position(|other| {
        other.visits * u64::from(SERIOUS_SHARE) >= favourite.visits
            && other.wdl.is_some_and(|wdl| wdl.value() >= value - REPETITION_TOLERANCE)
            && !repeats(game, other)
    })
}

/// Puts the root move with this index first, and its line.
pub(crate) fn put_first(info: &mut SearchInfo, index: usize) {
    info.root_moves[..=index].rotate_right(1);
    if index < info.variations.len() {
        info.variations[..=index].rotate_right(1);
        return;
    }
    info.variations.pop();
    info.variations.insert(0, line_of(&info.root_moves[0]));
}

fn repeats(game: &Game, root_move: &RootMove) -> bool {
    let mut after = game.clone();
    after.play_unchecked(root_move.chess_move);
    after.repetitions() > 0
}

#[cfg(test)]
mod tests {
    use chess::{PrincipalVariation, Wdl};

    use super::*;

    /// White is a queen up and has had the position after Qd1 before.
    fn shuffled() -> Game {
        let fen = "6k1/5ppp/8/8/8/8/3Q1PPP/6K1 w - - 10 30";
        let mut game = Game::from_fen(fen, chess::CastlingMode::Standard).unwrap();
        for text in ["d2d1", "g8h8", "d1d2", "h8g8"] {
            game.play_uci(text).unwrap();
        }
        game
    }

    fn root_move(game: &Game, text: &str, visits: u64, value: f32) -> RootMove {
        let chess_move = chess::parse_uci_move(game.position(), text).unwrap();
        let wdl = crate::score::wdl_from(value, 0.0);
        RootMove { visits, wdl: Some(wdl), ..RootMove::unvisited(chess_move, 0.1) }
    }

    #[test]
    fn the_winning_side_prefers_a_position_that_is_new() {
        let game = shuffled();
        let moves = |value: f32| {
            [
                root_move(&game, "d2d1", 100, value),
                root_move(&game, "d2e2", 9, 0.9),
                root_move(&game, "d2d3", 50, 0.6),
                root_move(&game, "d2d8", 50, 0.75),
            ]
        };
        assert_eq!(fresh_alternative(&game, &moves(0.8)), Some(3), "one too few visits, one too bad");
        assert_eq!(fresh_alternative(&game, &moves(0.4)), None, "not winning");
        assert_eq!(fresh_alternative(&game, &moves(0.8)[1..]), None, "the favourite is new");
        assert_eq!(fresh_alternative(&game, &[]), None);
    }

    #[test]
    fn the_move_put_first_takes_its_line_along() {
        let game = shuffled();
        let moves = ["d2d1", "d2d3", "d2d8"].map(|text| root_move(&game, text, 10, 0.6));
        let line = |root_move: &RootMove| PrincipalVariation {
            moves: root_move.variation.clone(),
            score: Score::Centipawns(0),
            wdl: Wdl::DRAW,
        };
        for lines in [1, 2, 3] {
            let variations = moves[..lines].iter().map(line).collect();
            let mut info = SearchInfo { root_moves: moves.to_vec(), variations, ..SearchInfo::default() };
            put_first(&mut info, 2);
            assert_eq!(info.variations.len(), lines);
            assert_eq!(info.root_moves[0].chess_move, moves[2].chess_move);
            assert_eq!(info.root_moves[1].chess_move, moves[0].chess_move);
            assert_eq!(info.variations[0].moves, moves[2].variation);
        }
    }
}
