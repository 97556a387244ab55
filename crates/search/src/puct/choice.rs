//! The choice of the move to play among the root's moves.

use chess::{Game, RootMove};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    ranking::{is_proven_loss, is_proven_win, ranking},
    tree::{ROOT, Tree},
};
use crate::temperature::{TemperatureOptions, draw};

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
