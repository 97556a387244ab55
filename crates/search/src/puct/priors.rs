//! From hinted priors to the edges of a node.

use chess::{Color, Move};

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
    let new = |(&chess_move, &prior)| Edge::new(PackedMove::pack(chess_move), PackedPrior::pack(prior));
    edges.clear();
    edges.extend(moves.iter().zip(priors).map(new));
    sort(edges, turn);
}

/// Sets the root's priors, given by move, and sorts the edges that have no child yet.
pub(crate) fn set_at_root(tree: &Tree, turn: Color, edges: &[Edge]) {
    let given = |wanted: PackedMove| edges.iter().find(|edge| edge.chess_move == wanted);
    let mut root_edges = tree.edges(ROOT);
    for edge in &mut root_edges {
        if let Some(Edge { prior, .. }) = given(edge.chess_move) {
            edge.prior = *prior;
        }
    }
    let visited = root_edges.iter().take_while(|edge| edge.child.is_some()).count();
    sort(&mut root_edges[visited..], turn);
    tree.set_edges(ROOT, &root_edges);
}

/// Sorts edges by descending prior while unvisited; equal ones by the move as its mover sees it, so that a position and its
/// colour-flipped twin are searched in the same order.
fn sort(edges: &mut [Edge], turn: Color) {
    // Rank mirroring is the exclusive-or of a square with 0o70 (56), here of both squares at once.
    let mirror = if turn.is_white() { 0 } else { 0o7070 };
    edges.sort_unstable_by_key(|edge| {
        let seen_by_mover = edge.chess_move.bits() ^ mirror;
        // Packed priors have the order of the numbers. One integer for both sorts faster than a pair.
        std::cmp::Reverse(u32::from(edge.prior.bits()) << 16 | u32::from(!seen_by_mover))
    });
}
