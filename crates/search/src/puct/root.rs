//! What the tree says about the root: the order of its moves and their lines.

use std::cmp::Ordering;

use chess::{Game, Move, Position, PrincipalVariation, RootMove, Score, Wdl};

use super::{
    select::Formula,
    tree::{Edge, Node, NodeId, ROOT, State, TABLE_PLIES, Tree},
};
use crate::{
    moves::mating_move,
    packed::PackedMove,
    score::{score_of, wdl_from},
};

/// The edges of a node, best first: proven wins (the quickest first), then by visits, value and prior, then proven
/// losses (the slowest first).
pub(crate) fn ranking(tree: &Tree, id: NodeId) -> Vec<usize> {
    let children = tree.children(id);
    let mut order: Vec<usize> = (0..tree.run(id).len()).collect();
    order.sort_by(|&left, &right| compare(children.get(left), children.get(right)));
    order
}

/// The first of [`ranking`], found without sorting; `None` for a node without edges.
pub(crate) fn best(tree: &Tree, id: NodeId) -> Option<usize> {
    let children = tree.children(id);
    (0..tree.run(id).len()).min_by(|&left, &right| compare(children.get(left), children.get(right)))
}

/// `Less` where the left child is the better one. Equal children stay in the order of their priors.
fn compare(left: Option<&Node>, right: Option<&Node>) -> Ordering {
    let (left_class, right_class) = (class(left), class(right));
    let visits = |node: Option<&Node>| node.map_or(0, |child| child.visits);
    let value = |node: Option<&Node>| node.map_or(f32::NEG_INFINITY, |child| child.value);
    let plies = |node: Option<&Node>| node.map_or(0, |child| child.plies);
    right_class.cmp(&left_class).then_with(|| match left_class {
        Class::Wins => plies(left).cmp(&plies(right)),
        Class::Loses => plies(right).cmp(&plies(left)),
        Class::Open => visits(right).cmp(&visits(left)).then_with(|| value(right).total_cmp(&value(left))),
    })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Loses,
    Open,
    Wins,
}

/// What a move leads to, for the side that plays it.
fn class(child: Option<&Node>) -> Class {
    match child.map(|node| node.state) {
        Some(State::Lost) => Class::Wins,
        Some(State::Won) => Class::Loses,
        _ => Class::Open,
    }
}

/// Whether a root move is proven to win, to lose, or neither.
pub(crate) fn is_proven_loss(tree: &Tree, ordinal: usize) -> bool {
    class(child_at(tree, ordinal).as_ref()) == Class::Loses
}

/// Whether a root move is proven to win.
pub(crate) fn is_proven_win(tree: &Tree, ordinal: usize) -> bool {
    class(child_at(tree, ordinal).as_ref()) == Class::Wins
}

/// The node that a root move leads to, where it exists.
fn child_at(tree: &Tree, ordinal: usize) -> Option<Node> {
    tree.child(ROOT, ordinal).map(|child| tree.node(child))
}

/// The line that starts with a root move and goes on with the best visited replies.
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

/// The length of the principal variation, in half-moves.
pub(crate) fn line_length(tree: &Tree) -> u32 {
    let mut id = ROOT;
    let mut length = 0;
    while let Some(edge) = best(tree, id) {
        let Some(child) = tree.child(id, edge).filter(|_| is_visited(tree, id, edge)) else { break };
        id = child;
        length += 1;
    }
    length
}

fn is_visited(tree: &Tree, id: NodeId, edge: usize) -> bool {
    tree.child(id, edge).is_some_and(|child| tree.node(child).visits > 0)
}

/// The best `count` lines with their scores, best first. At least one, where the root has a move.
pub(crate) fn variations(tree: &Tree, game: &Game, count: usize) -> Vec<PrincipalVariation> {
    let order = ranking(tree, ROOT);
    order
        .into_iter()
        .take(count.max(1))
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

/// Every root move with what was found out about it, in ranking order, and the prior given for it or, where none is given, the
/// one that the tree uses.
pub(crate) fn moves(
    tree: &Tree,
    game: &Game,
    formula: Formula<'_>,
    priors: &[(PackedMove, f32)],
) -> Vec<RootMove> {
    let scale = formula.exploration.scale(&tree.node(ROOT), true);
    let edges = tree.edges(ROOT);
    let improved = formula.plan.map(|plan| plan.improved_policy(tree));
    let prior_of = |wanted: &Edge| {
        let given = priors.iter().find(|(packed, _)| *packed == wanted.chess_move);
        given.map_or(wanted.prior.get(), |&(_, prior)| prior)
    };
    ranking(tree, ROOT)
        .into_iter()
        .filter_map(|ordinal| {
            let edge = edges[ordinal];
            let child = child_at(tree, ordinal).filter(|child| child.visits > 0);
            let visits = child.map_or(0, |child| child.visits);
            Some(RootMove {
                chess_move: edge.chess_move.unpack(game.position())?,
                visits: u64::from(visits),
                wdl: child.map(|child| wdl_from(child.value, child.draw)),
                prior: prior_of(&edge),
                improved: improved.as_ref().map(|policy| policy[ordinal]),
                exploration: Some(scale * edge.prior.get() / (1 + visits) as f32),
                score: child.as_ref().map(child_score),
                variation: line(tree, game, ordinal),
            })
        })
        .collect()
}

/// Whether the most visited move is also the most valuable of those that were seriously tried.
pub(crate) fn is_settled(tree: &Tree) -> bool {
    // Judgement: below a tenth of the favourite's visits a value is too noisy to be a reason to think on.
    const SERIOUS_SHARE: u32 = 10;
    let children = tree.children(ROOT);
    let Some(favourite) = children.iter().max_by_key(|child| child.visits) else { return true };
    children
        .iter()
        .filter(|child| child.visits >= favourite.visits / SERIOUS_SHARE)
        .all(|child| child.value <= favourite.value)
}

/// Whether every root move but one is proven to lose.
pub(crate) fn is_forced(tree: &Tree) -> bool {
    let losing = tree.children(ROOT).iter().filter(|child| child.state == State::Won).count();
    losing + 1 == tree.run(ROOT).len()
}

/// Visits of the most visited root move and of the next one.
pub(crate) fn leaders(tree: &Tree) -> (u32, u32) {
    tree.children(ROOT).iter().fold((0, 0), |(first, second), child| {
        if child.visits > first { (child.visits, first) } else { (first, second.max(child.visits)) }
    })
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
