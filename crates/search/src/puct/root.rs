//! Reports on the root: its moves and their lines.

use chess::{Game, Move, Position, PrincipalVariation, RootMove, Score, Wdl};

use super::{
    ranking::{best, child_at, is_visited, ranking},
    select::Formula,
    tree::{Edge, Node, ROOT, State, TABLE_PLIES, Tree},
};
use crate::{
    moves::mating_move,
    packed::PackedMove,
    score::{score_of, wdl_from},
};

/// The line that starts with a root move and continues with the best visited replies.
pub(crate) fn line(tree: &Tree, game: &Game, ordinal: usize) -> Vec<Move> {
    let mut position = game.position().clone();
    let mut moves = Vec::new();
    let mut id = ROOT;
    let mut next = Some(ordinal);
    while let Some(edge) = next {
        let edge = Edge::load(&tree.run(id)[edge]);
        let Some(chess_move) = edge.chess_move.unpack(&position) else { break };
        moves.push(chess_move);
        position.play_unchecked(chess_move);
        let Some(child) = edge.child else { break };
        id = child;
        next = best(tree, id).filter(|&reply| is_visited(tree, id, reply));
    }
    // A leaf that was found to be won because a move mates has no edges.
    let end = tree.node(id);
    if (end.state, end.plies, end.edge_count) == (State::Won, 1, 0) {
        let replies = position.legal_moves();
        if let Some(place) = mating_move(&position, &replies) {
            moves.push(replies[place]);
        }
    }
    moves
}

/// The best `count` lines with their scores, best first.
pub(crate) fn variations(tree: &Tree, game: &Game, count: usize) -> Vec<PrincipalVariation> {
    let order = ranking(tree, ROOT);
    order
        .into_iter()
        .take(count)
        .map(|ordinal| {
            let visited = child_at(tree, ordinal).filter(|child| child.visits > 0);
            let (score, wdl) = match visited {
                Some(child) => (child_score(&child), wdl_from(child.value, child.draw)),
                None => (root_score(tree), root_wdl(tree)),
            };
            PrincipalVariation { moves: line(tree, game, ordinal), score, wdl }
        })
        .collect()
}

/// Every root move with its findings, in ranking order, and with the prior given for it or, if none is given, the tree's own.
pub(crate) fn moves(
    tree: &Tree,
    game: &Game,
    formula: Formula<'_>,
    priors: &[(PackedMove, f32)],
) -> Vec<RootMove> {
    let scale = formula.exploration.scale(&tree.node(ROOT));
    let edges = tree.edges(ROOT);
    let improved = formula.plan.map(|plan| plan.improved_policy(tree));
    let mut moves = Vec::with_capacity(edges.len());
    for ordinal in ranking(tree, ROOT) {
        let edge = edges[ordinal];
        let Some(chess_move) = edge.chess_move.unpack(game.position()) else { continue };
        let given = priors.iter().find(|(packed, _)| *packed == edge.chess_move);
        let child = child_at(tree, ordinal).filter(|child| child.visits > 0);
        let visits = child.map_or(0, |child| child.visits);
        moves.push(RootMove {
            chess_move,
            visits: u64::from(visits),
            wdl: child.map(|child| wdl_from(child.value, child.draw)),
            prior: given.map_or(edge.prior.get(), |&(_, prior)| prior),
            improved: improved.as_ref().map(|policy| policy[ordinal]),
            exploration: Some(scale * edge.prior.get() / (1 + visits) as f32),
            score: child.as_ref().map(child_score),
            variation: line(tree, game, ordinal),
        });
    }
    moves
}

/// The value of the root for the side to move.
pub(crate) fn root_wdl(tree: &Tree) -> Wdl {
    let root = tree.node(ROOT);
    wdl_from(root.value, root.draw).flipped()
}

fn root_score(tree: &Tree) -> Score {
    let root = tree.node(ROOT);
    match root.state {
        State::Won if root.plies < TABLE_PLIES => Score::Mate(i32::from(root.plies.div_ceil(2))),
        State::Lost if root.plies < TABLE_PLIES => Score::Mate(-i32::from(root.plies.div_ceil(2))),
        _ => score_of(root_wdl(tree)),
    }
}

/// The score of a move for the side that plays it, from the node it leads to.
fn child_score(child: &Node) -> Score {
    match child.state {
        State::Lost if child.plies < TABLE_PLIES => Score::Mate(i32::from((child.plies + 1).div_ceil(2))),
        State::Won if child.plies < TABLE_PLIES => Score::Mate(-i32::from(child.plies.div_ceil(2))),
        _ => score_of(wdl_from(child.value, child.draw)),
    }
}
