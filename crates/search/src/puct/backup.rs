//! From a leaf back to the root: averages and proofs.

use chess::Wdl;

use super::tree::{NodeId, ROOT, State, Tree};

/// Adds one visit with value `wdl`, seen by the side to move at the leaf, to every node of the path; then carries a
/// proof at the leaf as far towards the root as it holds.
///
/// Where a node becomes proven, its average becomes exact, and its ancestors' averages change as if all its visits had
/// returned the exact value.
pub(crate) fn back_up(tree: &mut Tree, ordinals: &[u8], wdl: Wdl, nodes: &mut Vec<NodeId>) {
    nodes_of(tree, ordinals, nodes);
    // Seen by the side that moved into the node; corrections are sums over visits.
    let mut value = -f64::from(wdl.value());
    let draw = f64::from(wdl.draw);
    let (mut value_correction, mut draw_correction) = (0.0, 0.0);
    let mut child_proven = true;
    for &id in nodes.iter().rev() {
        let node = tree.node_mut(id);
        node.in_flight = node.in_flight.saturating_sub(1);
        node.visits = node.visits.saturating_add(1);
        let visits = f64::from(node.visits);
        let old = (f64::from(node.value), f64::from(node.draw));
        let mean_value = old.0 + (value + value_correction - old.0) / visits;
        let mean_draw = old.1 + (draw + draw_correction - old.1) / visits;
        child_proven = child_proven && prove(tree, id);
        let node = tree.node_mut(id);
        if let Some(exact) = exact_value(node.state) {
            // All that the node's sum changed by, beyond this visit's own value.
            value_correction = (f64::from(exact.0) - old.0) * visits + old.0 - value;
            draw_correction = (f64::from(exact.1) - old.1) * visits + old.1 - draw;
            (node.value, node.draw) = exact;
        } else {
            (node.value, node.draw) = (mean_value as f32, mean_draw as f32);
        }
        value_correction = -value_correction;
        value = -value;
    }
}

/// Takes back the visits in flight of a walk that led to no evaluation.
pub(crate) fn cancel(tree: &mut Tree, ordinals: &[u8], nodes: &mut Vec<NodeId>) {
    nodes_of(tree, ordinals, nodes);
    for &id in nodes.iter() {
        let node = tree.node_mut(id);
        node.in_flight = node.in_flight.saturating_sub(1);
    }
}

/// The node at the end of a path.
pub(crate) fn leaf_of(tree: &Tree, ordinals: &[u8]) -> NodeId {
    ordinals.iter().fold(ROOT, |id, &ordinal| tree.child(id, usize::from(ordinal)))
}

/// The nodes of a path, root first.
fn nodes_of(tree: &Tree, ordinals: &[u8], nodes: &mut Vec<NodeId>) {
    nodes.clear();
    nodes.push(ROOT);
    let mut id = ROOT;
    for &ordinal in ordinals {
        id = tree.child(id, usize::from(ordinal));
        nodes.push(id);
    }
}

/// Value and draw probability, for the side that moved in, of a node that needs no average.
fn exact_value(state: State) -> Option<(f32, f32)> {
    match state {
        State::Won => Some((-1.0, 0.0)),
        State::Lost => Some((1.0, 0.0)),
        State::Drawn | State::Repeated => Some((0.0, 1.0)),
        State::Fresh | State::Open => None,
    }
}

/// Decides whether the node is proven won or lost, by its children where it has any.
///
/// One reply that loses for the opponent wins, the quickest first. A node is lost when every legal move was tried and
/// wins for the opponent; its defender picks the longest.
fn prove(tree: &mut Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    if node.edge_count == 0 {
        return matches!(node.state, State::Won | State::Lost);
    }
    let children = tree.children(id);
    let quickest = children.iter().filter(|child| child.state == State::Lost).map(|child| child.plies).min();
    let proof = if let Some(plies) = quickest {
        Some((State::Won, plies))
    } else if node.child_count == node.edge_count {
        let all_lose = children.iter().all(|child| child.state == State::Won);
        let longest = children.iter().map(|child| child.plies).max();
        longest.filter(|_| all_lose).map(|plies| (State::Lost, plies))
    } else {
        None
    };
    let Some((state, plies)) = proof else { return false };
    let node = tree.node_mut(id);
    node.state = state;
    node.plies = plies.saturating_add(1);
    true
}
