//! From a leaf back to the root: averages and proofs.
//!
//! A proof can only come from below, and only a child of the path can have changed, so the walk upwards checks at each node whether
//! its children decide it, and stops checking at the first that they do not. A node proves itself from the states of its children,
//! which no thread ever takes back, so two threads that try it at once come to the same state, if perhaps by lines of different
//! length.

use chess::Wdl;

use super::tree::{Edge, NodeId, State, Sums, Tree, Writers};

/// Adds one visit with value `wdl`, seen by the side to move at the leaf, to every node of the path (root first); then
/// carries a proof at the leaf as far towards the root as it holds.
///
/// Once a node becomes proven, its average becomes exact, and its ancestors' averages change as if all its visits had
/// returned the exact value. The thread that proves a node makes this correction, once.
pub(crate) fn back_up(tree: &Tree, nodes: &[NodeId], wdl: Wdl, writers: Writers) {
    // Seen by the side that moved into the node; corrections are sums over visits.
    let mut visit = Sums::of(-wdl.value(), wdl.draw);
    let mut correction = Sums::default();
    let mut child_proven = true;
    for &id in nodes.iter().rev() {
        let raw = tree.raw(id);
        raw.arrive(visit.plus(correction), writers);
        let before = if child_proven { prove(tree, id) } else { None };
        child_proven = before.is_some();
        if let Some((value, draw)) = raw.state().exact() {
            let exact = Sums::of(value, draw);
            // A node that was proven before this visit holds `visits x exact` already; the visit added what it found and
            // `missing` turns that into the exact value. The visit that proves a node, of which there is one because settling
            // returns the state before, corrects all visits so far. Either way the difference travels upwards with changing sign.
            let proves = before.is_some_and(|before| before.exact().is_none());
            let missing = if proves {
                // Read after settling: what arrives from now on finds the node proven and corrects itself.
                let (visits, sums) = (tree.node(id).visits, raw.add(Sums::default(), writers));
                exact.times(visits).minus(sums)
            } else {
                exact.minus(visit).minus(correction)
            };
            raw.add(missing, writers);
            correction = correction.plus(missing);
        }
        visit = visit.flipped();
        correction = correction.flipped();
    }
}

/// Settles a leaf that was visited before: the averages of its ancestors change as if those visits had returned the exact
/// value, which [`back_up`] assumes.
pub(crate) fn settle_visited(tree: &Tree, nodes: &[NodeId], state: State, plies: u16, writers: Writers) {
    let Some((leaf, ancestors)) = nodes.split_last() else { return };
    let raw = tree.raw(*leaf);
    raw.settle(state, plies);
    let Some((value, draw)) = state.exact() else { return };
    let (visits, sums) = (tree.node(*leaf).visits, raw.add(Sums::default(), writers));
    let mut correction = Sums::of(value, draw).times(visits).minus(sums);
    raw.add(correction, writers);
    for id in ancestors.iter().rev() {
        let raw = tree.raw(*id);
        if raw.state().exact().is_some() {
            break;
        }
        correction = correction.flipped();
        raw.add(correction, writers);
    }
}

/// Takes back `count` visits in flight of a walk that led to no evaluation.
pub(crate) fn cancel(tree: &Tree, nodes: &[NodeId], count: u32, writers: Writers) {
    for &id in nodes {
        tree.raw(id).abandon(count, writers);
    }
}

/// Decides whether the outcome at the node is known, from its children if it has any. Returns the node's state before, if it is.
///
/// One reply that loses for the opponent wins, the quickest first. Otherwise every legal move must have been tried and be
/// decided: the node is drawn if one of them draws, otherwise lost, and its defender picks the longest line.
fn prove(tree: &Tree, id: NodeId) -> Option<State> {
    let edges = tree.run(id);
    if edges.is_empty() {
        return Some(tree.raw(id).state()).filter(|state| state.is_proven());
    }
    let (mut quickest, mut longest) = (None, 0);
    let (mut all_decided, mut some_draw) = (true, false);
    for word in edges {
        let Some(child) = Edge::load(word).child else {
            all_decided = false;
            break;
        };
        let child = tree.node(child);
        match child.state {
            State::Lost => quickest = Some(quickest.unwrap_or(u16::MAX).min(child.plies)),
            State::Won => longest = longest.max(child.plies),
            State::Drawn => some_draw = true,
            _ => all_decided = false,
        }
    }
    let (state, plies) = match quickest {
        Some(plies) => (State::Won, plies.saturating_add(1)),
        None if !all_decided => return None,
        None if some_draw => (State::Drawn, 0),
        None => (State::Lost, longest.saturating_add(1)),
    };
    Some(tree.raw(id).settle(state, plies))
}
