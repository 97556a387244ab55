//! From hinted priors to the edges of a node.

use chess::{Color, MOST_MOVES, Move};

use super::tree::{Edge, ROOT, Tree};
use crate::packed::{PackedMove, PackedPrior};

/// The edges of an evaluated node, as the tree wants them sorted.
pub(crate) fn edges(moves: &[Move], priors: &[f32], turn: Color) -> Vec<Edge> {
    let mut edges = Vec::new();
    fill_edges(moves, priors, turn, &mut edges);
    edges
}

/// Replaces the contents of `edges` by [`edges`].
pub(crate) fn fill_edges(moves: &[Move], priors: &[f32], turn: Color, edges: &mut Vec<Edge>) {
    // Sorted as integers, which takes half the time of sorting edges and is a tenth of a visit.
    let mut order = [0; ROOM];
    let order = &mut order[..moves.len()];
    for (key, (&chess_move, &prior)) in order.iter_mut().zip(moves.iter().zip(priors)) {
        *key = sort_key(&Edge::new(PackedMove::pack(chess_move), PackedPrior::pack(prior)), turn);
    }
    order.sort_unstable();
    edges.clear();
    edges.extend(order.iter().rev().map(|&key| {
        let chess_move = PackedMove::from_bits(!key as u16 ^ mirror(turn));
        Edge::new(chess_move, PackedPrior::from_bits((key >> 16) as u16))
    }));
}

/// Room for the moves of a position: [`MOST_MOVES`], rounded up to a power of two.
const ROOM: usize = MOST_MOVES.next_power_of_two();

/// Sets the root's priors, given by move, and sorts the edges that have no child yet.
pub(crate) fn set_at_root(tree: &Tree, turn: Color, edges: &[Edge]) {
    let mut root_edges = tree.edges(ROOT);
    for edge in &mut root_edges {
        if let Some(given) = edges.iter().find(|given| given.chess_move == edge.chess_move) {
            edge.prior = given.prior;
        }
    }
    let visited = root_edges.iter().take_while(|edge| edge.child.is_some()).count();
    sort(&mut root_edges[visited..], turn);
    tree.set_edges(ROOT, &root_edges);
}

/// Sorts edges by descending [`sort_key`].
fn sort(edges: &mut [Edge], turn: Color) {
    edges.sort_unstable_by_key(|edge| std::cmp::Reverse(sort_key(edge, turn)));
}

/// Larger for the larger prior; equal priors are ordered by the move as its mover sees it, so that a position and its
/// colour-flipped twin are searched in the same order.
fn sort_key(edge: &Edge, turn: Color) -> u32 {
    let seen_by_mover = edge.chess_move.bits() ^ mirror(turn);
    // Packed priors have the order of the numbers.
    u32::from(edge.prior.bits()) << 16 | u32::from(!seen_by_mover)
}

/// Rank mirroring is the exclusive-or of a square with 0o70 (56), here of both squares at once.
fn mirror(turn: Color) -> u16 {
    if turn.is_white() { 0 } else { 0o7070 }
}

#[cfg(test)]
mod tests {
    use chess::{Position, laws};

    use super::*;

    #[test]
    fn edges_come_sorted_each_with_its_prior() {
        for game in laws::sample_games(41, 30).iter().filter(|game| game.outcome().is_none()) {
            let moves = game.legal_moves();
            // Some are equal.
            let priors: Vec<f32> = (0..moves.len()).map(|place| (place * 7 % 11) as f32 / 100.0).collect();
            let found = edges(&moves, &priors, game.turn());
            assert!(found.is_sorted_by_key(|edge| std::cmp::Reverse(sort_key(edge, game.turn()))));
            assert!(found.is_sorted_by(|left, right| left.prior.get() >= right.prior.get()));
            for (&chess_move, &prior) in moves.iter().zip(&priors) {
                let edge = Edge::new(PackedMove::pack(chess_move), PackedPrior::pack(prior));
                assert_eq!(found.iter().filter(|&&one| one == edge).count(), 1, "{chess_move}");
            }
            assert_eq!(found.len(), game.position().legal_moves().len());
        }
    }
}
