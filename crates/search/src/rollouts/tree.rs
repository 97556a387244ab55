//! The tree of the searches that play games out.

use std::{cmp::Reverse, mem, ops::Range};

use chess::{Move, RootMove, Wdl};

use crate::score::{score_of, wdl_from};

pub(super) const ROOT: usize = 0;

/// A position in the tree.
#[derive(Default)]
pub(super) struct Node {
    /// The move that leads here; the root has none.
    pub(super) chess_move: Option<Move>,
    pub(super) prior: f32,
    pub(super) visits: u32,
    /// Sum of the results for the side that moved into the node: 1 for a win, 0 for a loss.
    pub(super) score: f64,
    pub(super) draws: f64,
    /// Places of its successors, one for each legal move; empty until the node is opened.
    pub(super) children: Range<usize>,
}

impl Node {
    /// Mean result for the side that moved into the node; 0 before the first visit.
    pub(super) fn mean(&self) -> f64 {
        self.score / f64::from(self.visits.max(1))
    }

    /// [`Node::mean`] with the share of draws.
    fn wdl(&self) -> Wdl {
        let draw = (self.draws / f64::from(self.visits.max(1))) as f32;
        wdl_from((2.0 * self.mean() - 1.0) as f32, draw)
    }
}

/// Nodes by place; the children of a node are neighbours.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    capacity: usize,
}

impl Tree {
    /// A root without moves, in a tree of at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self { nodes: vec![Node::default()], capacity: bytes / size_of::<Node>() }
    }

    /// Expands a node.
    pub(super) fn open(&mut self, node: usize, moves: &[Move], priors: &[f32]) {
        let first = self.nodes.len();
        self.nodes.extend(moves.iter().zip(priors).map(|(&chess_move, &prior)| Node {
            chess_move: Some(chess_move),
            prior,
            ..Node::default()
        }));
        self.nodes[node].children = first..self.nodes.len();
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.capacity
    }

    /// Removes the subtrees of the least visited nodes, so that at most the root's moves and half of the
    /// other nodes are left. The nodes themselves keep visits and results, and are expanded again at their
    /// next visit.
    pub(super) fn prune(&mut self) {
        let mut opened: Vec<&Node> =
            self.nodes[ROOT + 1..].iter().filter(|node| !node.children.is_empty()).collect();
        opened.sort_unstable_by_key(|node| Reverse(node.visits));
        let mut kept = 0;
        let first_too_many = opened.iter().find(|node| {
            kept += node.children.len();
            kept > self.nodes.len() / 2
        });
        let most_forgotten = first_too_many.map_or(0, |node| node.visits);
        let mut old = mem::take(&mut self.nodes);
        self.nodes.push(mem::take(&mut old[ROOT]));
        let mut place = ROOT;
        while place < self.nodes.len() {
            let children = mem::take(&mut self.nodes[place].children);
            if place == ROOT || self.nodes[place].visits > most_forgotten {
                let first = self.nodes.len();
                self.nodes.extend(old[children].iter_mut().map(mem::take));
                self.nodes[place].children = first..self.nodes.len();
            }
            place += 1;
        }
    }

    /// The root's moves, the most visited first; with a share of the value, those with `LEAST_SHARE` of the visits by
    /// `share * mean result + (1 - share) * share of the visits` before the others.
    pub(super) fn root_moves(&self, value_share: f32) -> Vec<RootMove> {
        // A mean over fewer visits is too noisy. Value and formula from COGS188.
        const LEAST_SHARE: f32 = 0.1;
        let mut ranked: Vec<RootMove> =
            self.nodes[ROOT].children.clone().map(|child| self.root_move(child)).collect();
        ranked.sort_by_key(|root_move| Reverse(root_move.visits));
        if value_share > 0.0 {
            let all: u64 = ranked.iter().map(|root_move| root_move.visits).sum();
            let worth = |root_move: &RootMove| {
                let visits = root_move.visits as f32 / all.max(1) as f32;
                let mean = root_move.wdl.map_or(0.0, Wdl::expected_score);
                if visits < LEAST_SHARE { -1.0 } else { value_share * mean + (1.0 - value_share) * visits }
            };
            ranked.sort_by(|left, right| worth(right).total_cmp(&worth(left)));
        }
        ranked
    }

    /// The line of most visited moves, starting with the move into this node.
    pub(super) fn line(&self, from: usize) -> Vec<Move> {
        let mut line = Vec::new();
        let mut next = Some(from);
        while let Some(place) = next {
            line.extend(self.nodes[place].chess_move);
            let replies = self.nodes[place].children.clone().filter(|&reply| self.nodes[reply].visits > 0);
            next = replies.max_by_key(|&reply| (self.nodes[reply].visits, Reverse(reply)));
        }
        line
    }

    fn root_move(&self, child: usize) -> RootMove {
        let node = &self.nodes[child];
        let variation = self.line(child);
        let wdl = (node.visits > 0).then(|| node.wdl());
        RootMove {
            chess_move: variation[0],
            visits: u64::from(node.visits),
            wdl,
            prior: node.prior,
            improved: None,
            exploration: None,
            score: wdl.map(score_of),
            variation,
        }
    }
}

#[cfg(test)]
mod tests {
    use chess::Game;

    use super::*;

    /// A root with its moves, the first `opened` of which have been opened; earlier ones have more visits.
    fn tree(opened: usize) -> Tree {
        let moves = Game::default().legal_moves();
        let priors = vec![0.05; moves.len()];
        let mut tree = Tree::new(1 << 20);
        tree.open(ROOT, &moves, &priors);
        for place in 1..=opened {
            tree.open(place, &moves, &priors);
            tree.nodes[place].visits = 100 - place as u32;
            let first = tree.nodes[place].children.start;
            tree.nodes[first].visits = 1;
        }
        tree
    }

    #[test]
    fn pruning_keeps_what_was_visited_most_and_all_results() {
        let mut pruned = tree(10);
        let before = pruned.nodes.len();
        let visits: Vec<u32> = pruned.nodes[1..=20].iter().map(|node| node.visits).collect();
        pruned.prune();
        assert_eq!((before, pruned.nodes.len()), (1 + 20 + 200, 1 + 20 + 100));
        assert_eq!(pruned.nodes[1..=20].iter().map(|node| node.visits).collect::<Vec<_>>(), visits);
        for (place, node) in pruned.nodes.iter().enumerate() {
            let open = (1..=5).contains(&place);
            assert_eq!(node.children.len(), if open || place == ROOT { 20 } else { 0 }, "node {place}");
            assert!(!open || pruned.nodes[node.children.start].visits == 1, "node {place}");
        }
    }

    #[test]
    fn the_last_choice_weighs_results_against_visits() {
        let mut tree = tree(3);
        // Visits 60, 35, 5 and mean results 0.5, 0.9, 1.
        for (place, (visits, score)) in (1..).zip([(60, 30.0), (35, 31.5), (5, 5.0)]) {
            (tree.nodes[place].visits, tree.nodes[place].score) = (visits, score);
        }
        let visits = |share| tree.root_moves(share).iter().take(3).map(|one| one.visits).collect::<Vec<_>>();
        assert_eq!(visits(0.0), [60, 35, 5]);
        // 0.7 * 0.9 + 0.3 * 0.35 > 0.7 * 0.5 + 0.3 * 0.6; the third has too few visits.
        assert_eq!(visits(0.7), [35, 60, 5]);
    }

    #[test]
    fn equal_visits_are_forgotten_together() {
        let mut equal = tree(10);
        equal.nodes[1..=10].iter_mut().for_each(|node| node.visits = 7);
        equal.prune();
        assert_eq!(equal.nodes.len(), 1 + 20);
    }
}
