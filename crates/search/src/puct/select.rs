//! The walk from the root to a leaf by PUCT.

use super::{
    packed::PackedMove,
    tree::{Node, NodeId, ROOT, State, Tree},
};
use crate::PuctOptions;

/// One walk from the root: the edges taken, by their place among their node's edges and by move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) ordinals: Vec<u8>,
    pub(crate) line: Vec<PackedMove>,
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// At a node to evaluate.
    Fresh,
    /// At a node whose value is known: over, proven, or as deep as the tree may go.
    Known,
    /// At a node that the same batch is already evaluating.
    Collision,
}

/// The longest line; a leaf at this depth is not opened. Far beyond any line that matters; it bounds paths and recursion.
pub(crate) const MAX_DEPTH: usize = 512;

/// Walks from the root to a leaf, marking every node passed as having one more visit in flight.
pub(crate) fn walk(tree: &mut Tree, options: &PuctOptions, path: &mut Path) -> Selected {
    path.ordinals.clear();
    path.line.clear();
    let mut id = ROOT;
    loop {
        let node = tree.node_mut(id);
        node.in_flight += 1;
        let (state, pending) = (node.state, node.in_flight);
        match state {
            State::Fresh if pending > 1 => return Selected::Collision,
            State::Fresh => return Selected::Fresh,
            // At the root the proof is not the end: shorter mates and longer defences are still looked for.
            State::Open | State::Won | State::Lost if id == ROOT => {}
            State::Open if path.line.len() < MAX_DEPTH => {}
            State::Open | State::Won | State::Lost | State::Drawn | State::Repeated => {
                return Selected::Known;
            }
        }
        let ordinal = choose(tree, id, options);
        path.ordinals.push(ordinal as u8);
        path.line.push(tree.edges(id)[ordinal].chess_move);
        id = if ordinal < usize::from(tree.node(id).child_count) {
            tree.child(id, ordinal)
        } else {
            tree.add_child(id)
        };
    }
}

/// The exploration constant of a node with `visits` visits: `c + f ln((N + b) / b)` (AlphaZero's pseudocode; lc0).
///
/// The logarithm is libm's, so that with a policy temperature of 1 a search makes the same choices on every machine.
pub(crate) fn exploration(options: &PuctOptions, visits: u32) -> f32 {
    let base = options.cpuct_base;
    options.cpuct + options.cpuct_factor * libm::logf((visits as f32 + base) / base)
}

/// What a prior is multiplied with in the exploration term of a node with `visits` visits: `c(N) sqrt(N')`.
pub(crate) fn exploration_scale(options: &PuctOptions, visits: u32) -> f32 {
    exploration(options, visits) * (visits.saturating_sub(1).max(1) as f32).sqrt()
}

/// The edge to follow: the largest `Q + c(N) sqrt(N') P / (1 + n)`, where N' are the visits of all children and n the
/// edge's finished and pending visits (virtual loss as lc0 does it: pending visits count as visits, not as losses).
///
/// An unvisited edge's Q is the node's value less a reduction for the share of the prior already visited. Proven edges
/// are passed over as long as another is left: a loss is not worth a visit, and a win at the root needs none (elsewhere
/// it has ended the walk), so that what is left of the search looks for a quicker one.
fn choose(tree: &Tree, id: NodeId, options: &PuctOptions) -> usize {
    let node = tree.node(id);
    let children = tree.children(id);
    let edges = tree.edges(id);
    let scale = exploration_scale(options, node.visits);
    let mut visited_prior = 0.0;
    let mut best_visited = Candidate::NONE;
    let mut best_unvisited = Candidate::NONE;
    for (ordinal, (child, edge)) in children.iter().zip(edges).enumerate() {
        let prior = edge.prior.get();
        if matches!(child.state, State::Won | State::Lost) {
            visited_prior += prior;
            continue;
        }
        let urge = scale * prior / (1 + child.started()) as f32;
        if child.visits > 0 {
            visited_prior += prior;
            best_visited.consider(ordinal, child.value + urge);
        } else {
            best_unvisited.consider(ordinal, urge);
        }
    }
    // Unvisited edges differ only in their prior, and the first has the largest.
    if let Some(edge) = edges.get(children.len()) {
        best_unvisited.consider(children.len(), scale * edge.prior.get());
    }
    if best_unvisited.is_some() {
        let first_play = -node.value - options.fpu_reduction * visited_prior.sqrt();
        best_visited.consider(best_unvisited.ordinal, first_play + best_unvisited.score);
    }
    if best_visited.is_some() { best_visited.ordinal } else { best_proven(children) }
}

/// Every move is proven: the quickest win or, where there is none, the longest defence.
fn best_proven(children: &[Node]) -> usize {
    let quickest_win = (0..children.len())
        .filter(|&ordinal| children[ordinal].state == State::Lost)
        .min_by_key(|&ordinal| children[ordinal].plies);
    let longest_defence = || (0..children.len()).max_by_key(|&ordinal| children[ordinal].plies);
    quickest_win.or_else(longest_defence).unwrap_or(0)
}

#[derive(Clone, Copy)]
struct Candidate {
    ordinal: usize,
    score: f32,
}

impl Candidate {
    const NONE: Self = Self { ordinal: usize::MAX, score: f32::NEG_INFINITY };

    fn is_some(self) -> bool {
        self.ordinal != usize::MAX
    }

    fn consider(&mut self, ordinal: usize, score: f32) {
        if score > self.score {
            *self = Self { ordinal, score };
        }
    }
}

#[cfg(test)]
mod tests;
