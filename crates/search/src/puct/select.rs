//! The walk from the root to a leaf by PUCT (Silver et al. 2017 and 2018; `docs/methods.md`, "PUCT selection").
//!
//! Threads walk the tree without locking nodes: a walk counts itself in flight at every node it passes, so that walks of other
//! threads, and the next walks of the same batch, already see the visit and spread over other edges.
//!
//! # Visits in flight
//!
//! A pending visit raises n in `P / (1 + n)` and leaves Q as it is. The virtual loss of AlphaGo would also count it as a loss;
//! then a batch is driven away from the best line, and the more so the larger it is. lc0 counts visits alone, and so does this
//! search. The price is that walks follow each other to one leaf more often, and there they collide.
//!
//! The invariant that keeps the counts right: each walk adds to the nodes of its path exactly once what it takes back exactly
//! once, by `backup::back_up` if it ended in a value or by `backup::cancel` if it collided. A collision may stand for several
//! walks (`Path::repeats`); it adds and cancels that number.
//!
//! A collision does not wait for the leaf's evaluation, which may be in another thread's batch, or in this one, where waiting
//! would last for ever. In a batch it stays in flight until the end of the batch, so that the next walks take other edges, and is
//! cancelled then. Where an evaluation takes microseconds it is cancelled at once.

mod exploration;

use super::{
    gumbel::HalvingPlan,
    numbers::MAX_DEPTH,
    tree::{Allocator, Edge, NodeId, ROOT, State, Tree, Writers},
};
use crate::packed::PackedMove;

pub(crate) use exploration::Exploration;

/// One walk from the root: the nodes passed, root first, and the moves between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) line: Vec<PackedMove>,
    /// Estimate of how many more consecutive walks would take the same path.
    pub(crate) repeats: u32,
}

impl Path {
    /// The node at the end.
    pub(crate) fn leaf(&self) -> NodeId {
        self.nodes.last().copied().unwrap_or(ROOT)
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.line.clear();
        // Every choice of the walk lowers it to its own: the first edge to be overtaken ends the repetition.
        self.repeats = u32::MAX;
    }

    /// Walks from the root to its child with this ordinal, whatever the formula prefers: the caller knows that the move ends
    /// the game. Runs before any other thread searches the tree, so that statistics need no atomic additions.
    pub(crate) fn go_below_root(&mut self, tree: &Tree, ordinal: usize, stock: &mut Allocator) {
        self.clear();
        self.nodes.extend([ROOT, tree.child_or_new(ROOT, ordinal, stock)]);
        self.line.push(Edge::load(&tree.run(ROOT)[ordinal]).chess_move);
        self.nodes.iter().for_each(|&id| tree.raw(id).depart(1, Writers::One));
    }
}

/// End of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// At a node to evaluate, which is now claimed.
    Fresh,
    /// At a node whose value is known: over, proven, or as deep as the tree may go.
    Known,
    /// At a node without edges whose value is known and whose priors are wanted now; it is claimed.
    Valued,
    /// At a node that another thread, or an earlier walk of this batch, is evaluating. The walk must be undone.
    Collision,
}

/// Walks from the root to a leaf, marking every node passed as having one more visit in flight.
pub(crate) fn walk(
    tree: &Tree,
    formula: Formula<'_>,
    path: &mut Path,
    stock: &mut Allocator,
    writers: Writers,
) -> Selected {
    path.clear();
    enter(tree, ROOT, path, writers).unwrap_or_else(|| walk_on(tree, formula, path, stock, writers))
}

/// Continues a walk below its last node, which has edges.
pub(crate) fn walk_on(
    tree: &Tree,
    formula: Formula<'_>,
    path: &mut Path,
    stock: &mut Allocator,
    writers: Writers,
) -> Selected {
    loop {
        let id = path.leaf();
        let choice = match formula.plan {
            // A plan alternates between its moves from visit to visit, so none of its choices may stand for the next one.
            Some(plan) if id == ROOT => Choice { ordinal: plan.choose(tree), repeats: 1 },
            _ => choose(tree, id, formula),
        };
        path.repeats = path.repeats.min(choice.repeats);
        path.line.push(Edge::load(&tree.run(id)[choice.ordinal]).chess_move);
        let child = tree.child_or_new(id, choice.ordinal, stock);
        if let Some(selected) = enter(tree, child, path, writers) {
            return selected;
        }
    }
}

/// Adds a node to a walk. Returns the end of the walk, or `None` if it continues below the node.
fn enter(tree: &Tree, id: NodeId, path: &mut Path, writers: Writers) -> Option<Selected> {
    let raw = tree.raw(id);
    // In flight even if the walk ends in a collision: `backup::cancel` takes it back.
    raw.depart(1, writers);
    path.nodes.push(id);
    let state = raw.state();
    match state {
        // The state was read before the claim and may be old; the claim is a compare-and-swap from it and fails then.
        // Of several threads that see the same unevaluated node, one wins the claim; the others collide.
        State::Fresh if raw.claim(state) => Some(Selected::Fresh),
        // Too deep to get edges: it is visited with the value it has.
        State::Valued if path.line.len() >= MAX_DEPTH => Some(Selected::Known),
        State::Valued if raw.claim(state) => Some(Selected::Valued),
        State::Fresh | State::Valued | State::Claimed => Some(Selected::Collision),
        // At the root the proof is not the end: shorter mates and longer defences are still looked for.
        State::Open | State::Won | State::Lost | State::Drawn if id == ROOT => None,
        State::Open if path.line.len() < MAX_DEPTH => None,
        State::Open | State::Won | State::Lost | State::Drawn | State::Repeated => Some(Selected::Known),
    }
}

/// Parameters, apart from the tree, for choosing an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formula<'a> {
    pub(crate) exploration: &'a Exploration,
    /// Plan that distributes the root's visits instead of PUCT (Gumbel search); `None` for PUCT at the root too.
    pub(crate) plan: Option<&'a HalvingPlan>,
}

/// The choice of an edge at one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) ordinal: usize,
    /// Visits in a row that it would get before another edge overtakes it, if its value stayed; at least 1.
    pub(crate) repeats: u32,
}

/// Returns the edge with the largest `Q + U`, `U = c(N) sqrt(N') v(N) P / (1 + n)`, N' being the visits of all children
/// and n the edge's finished and pending visits (virtual loss as in lc0: pending visits count as visits, not as losses).
/// `Q` is the average result for the side that moves here, -1 to 1; [`Exploration::scale`] is the factor of `P / (1 + n)`.
///
/// The Q of an unvisited edge is the node's value less a reduction for the share of the prior already visited (first-play
/// urgency as in lc0). Edges proven won or lost are passed over as long as another is left: a loss is not worth a visit, and
/// a win at the root needs none (elsewhere it has ended the walk), so that the rest of the search looks for a quicker one.
pub(crate) fn choose(tree: &Tree, id: NodeId, Formula { exploration, .. }: Formula<'_>) -> Choice {
    let node = tree.node(id);
    let edges = tree.run(id);
    // The scale is the same for all edges of the node, so the loop has one multiplication and one division for each.
    let scale = exploration.scale(&node);
    let mut visited_prior = 0.0;
    // Kept apart because the value of unvisited edges depends on the prior of all visited ones, which is known at the end.
    let (mut leaders, mut unvisited) = (TopTwo::default(), TopTwo::default());
    for (ordinal, word) in edges.iter().enumerate() {
        let edge = Edge::load(word);
        let prior = edge.prior.get();
        let Some(child) = edge.child else {
            // Edges are sorted by prior and get their children in this order. The rest is unvisited too and differs only in
            // the prior, of which the first has the largest: of a node with 40 moves mostly the first ten words are read.
            unvisited.consider(Candidate { ordinal, value: 0.0, weight: scale * prior, started: 0 });
            break;
        };
        // A snapshot instead of the whole node: this runs for every child of every node passed.
        let child = tree.raw(child).snapshot();
        let mut candidate =
            Candidate { ordinal, value: child.average, weight: scale * prior, started: child.started };
        // Created but not visited yet: another thread, or an earlier leaf of this batch, is on its way there.
        if child.visits == 0 && !matches!(child.state, State::Won | State::Lost) {
            candidate.value = 0.0;
            unvisited.consider(candidate);
            continue;
        }
        visited_prior += prior;
        match child.state {
            // Not a candidate, but its prior counts as visited: the reduction measures how much of the policy has been tried.
            State::Won | State::Lost => {}
            // 0 exactly, whatever the average still holds from before the proof.
            State::Drawn | State::Repeated => leaders.consider(Candidate { value: 0.0, ..candidate }),
            State::Open | State::Valued | State::Fresh | State::Claimed => leaders.consider(candidate),
        }
    }
    if let Some(candidate) = unvisited.first {
        // The node stores its value for the side that moved into it, hence the sign. lc0's reduction takes the square root
        // of the visited prior, not the prior itself.
        let value = -node.value - exploration.options.fpu_reduction * visited_prior.sqrt();
        leaders.consider(Candidate { value, ..candidate });
        // The second of the unvisited had the value 0 too, so its score lacks the same amount.
        leaders.second = leaders.second.max(unvisited.second + value);
    }
    leaders.choice().unwrap_or_else(|| Choice { ordinal: best_proven(tree, id), repeats: 1 })
}

/// The choice if every move is proven: the quickest win or, without a win, the longest defence. States are those of the side to
/// move at the child, so that a lost child is a win here.
fn best_proven(tree: &Tree, id: NodeId) -> usize {
    let children = tree.children(id);
    let quickest_win = (0..children.len())
        .filter(|&ordinal| children[ordinal].state == State::Lost)
        .min_by_key(|&ordinal| children[ordinal].plies);
    if let Some(win) = quickest_win {
        return win;
    }
    (0..children.len()).max_by_key(|&ordinal| children[ordinal].plies).unwrap_or(0)
}

/// An edge that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    ordinal: usize,
    /// Q, -1 to 1, for the side that moves here.
    value: f32,
    /// Prior times [`Exploration::scale`].
    weight: f32,
    /// Finished and pending visits.
    started: u32,
}

impl Candidate {
    fn score(&self) -> f32 {
        self.value + self.weight / (1 + self.started) as f32
    }
}

/// The best candidate and the score of the next one.
struct TopTwo {
    first: Option<Candidate>,
    best: f32,
    second: f32,
}

impl Default for TopTwo {
    fn default() -> Self {
        Self { first: None, best: f32::NEG_INFINITY, second: f32::NEG_INFINITY }
    }
}

impl TopTwo {
    fn consider(&mut self, candidate: Candidate) {
        let score = candidate.score();
        // Among equal scores the candidate considered first stays.
        if score > self.best {
            self.second = self.best;
            self.best = score;
            self.first = Some(candidate);
        } else {
            self.second = self.second.max(score);
        }
    }

    /// The leader stays ahead while its score, `value + scale P / (1 + n)`, exceeds the second one.
    fn choice(&self) -> Option<Choice> {
        let first = self.first?;
        let lead = self.second - first.value;
        // A value that alone is at least the second score is never overtaken, however small the exploration term becomes.
        let overtaken = if lead > 0.0 { first.weight / lead - 1.0 } else { f32::INFINITY };
        // Solved for n: how many more visits bring the leader's score down to the second one. A cast from infinity saturates.
        let repeats = (overtaken.ceil() as u32).saturating_sub(first.started).max(1);
        Some(Choice { ordinal: first.ordinal, repeats })
    }
}

#[cfg(test)]
mod tests;
