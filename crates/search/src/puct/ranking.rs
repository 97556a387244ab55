//! The order of the moves of a node, and whether it decides the choice among them.

use std::cmp::Ordering;

use super::{
    numbers::SERIOUS_SHARE,
    tree::{Node, NodeId, ROOT, State, Tree},
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

/// `Less` if the left child is the better one. Equal children stay in the order of their priors.
fn compare(left: Option<&Node>, right: Option<&Node>) -> Ordering {
    let (left, right) = (Standing::of(left), Standing::of(right));
    right.class.cmp(&left.class).then_with(|| match left.class {
        Class::Wins => left.plies.cmp(&right.plies),
        Class::Loses => right.plies.cmp(&left.plies),
        Class::Open => right.visits.cmp(&left.visits).then_with(|| right.value.total_cmp(&left.value)),
    })
}

/// What the ranking compares of a move, for the side that plays it.
struct Standing {
    class: Class,
    plies: u16,
    visits: u32,
    value: f32,
}

impl Standing {
    /// That of the move to this child; a move without one has no visits and the least value.
    fn of(child: Option<&Node>) -> Self {
        Self {
            class: class(child),
            plies: child.map_or(0, |child| child.plies),
            visits: child.map_or(0, |child| child.visits),
            value: child.map_or(f32::NEG_INFINITY, |child| child.value),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Loses,
    Open,
    Wins,
}

/// Class of a move's outcome, for the side that plays it.
fn class(child: Option<&Node>) -> Class {
    match child.map(|node| node.state) {
        Some(State::Lost) => Class::Wins,
        Some(State::Won) => Class::Loses,
        _ => Class::Open,
    }
}

/// True if a root move is proven to lose.
pub(crate) fn is_proven_loss(tree: &Tree, ordinal: usize) -> bool {
    class(child_at(tree, ordinal).as_ref()) == Class::Loses
}

/// True if a root move is proven to win.
pub(crate) fn is_proven_win(tree: &Tree, ordinal: usize) -> bool {
    class(child_at(tree, ordinal).as_ref()) == Class::Wins
}

/// The node that a root move leads to, if it exists.
pub(crate) fn child_at(tree: &Tree, ordinal: usize) -> Option<Node> {
    tree.child(ROOT, ordinal).map(|child| tree.node(child))
}

/// True if the most visited move is also the most valuable of those that were seriously tried.
pub(crate) fn is_settled(tree: &Tree) -> bool {
    let children = tree.children(ROOT);
    let Some(favourite) = children.iter().max_by_key(|child| child.visits) else { return true };
    children
        .iter()
        .filter(|child| child.visits >= favourite.visits / SERIOUS_SHARE)
        .all(|child| child.value <= favourite.value)
}

/// True if every root move but one is proven to lose.
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

pub(crate) fn is_visited(tree: &Tree, id: NodeId, edge: usize) -> bool {
    tree.child(id, edge).is_some_and(|child| tree.node(child).visits > 0)
}
