//! The most visited nodes of the tree, for pages that draw it.

use std::{cmp::Reverse, collections::BinaryHeap};

use chess::{Branch, Chess, Game, Position};

use super::{
    numbers::{DEEPEST_BRANCH, LEAST_BRANCH_SHARE},
    tree::{Edge, NodeId, ROOT, Tree},
};
use crate::score::wdl_from;

/// At most `most` nodes, the most visited ones, parents before their children. Values are the root mover's.
pub(crate) fn branches(tree: &Tree, game: &Game, most: usize) -> Vec<Branch> {
    let mut walk = Walk::new(tree);
    if most > 0 {
        walk.open(ROOT, None);
    }
    let mut found: Vec<Branch> = Vec::new();
    // The position that each listed node leads to, and its depth.
    let mut places: Vec<(Chess, u32)> = Vec::new();
    while found.len() < most
        && let Some((visits, Candidate { from, parent, ordinal })) = walk.next()
    {
        let (before, depth) = parent.map_or((game.position(), 0), |parent| {
            let (position, depth) = &places[parent];
            (position, *depth)
        });
        let edge = Edge::load(&tree.run(from)[ordinal]);
        let (Some(chess_move), Some(child)) = (edge.chess_move.unpack(before), edge.child) else { continue };
        let mut after = before.clone();
        after.play_unchecked(chess_move);
        let node = tree.node(child);
        let wdl = wdl_from(node.value, node.draw);
        // A node's value is that of the side that moved into it: at odd depths the other side's.
        let wdl = if depth.is_multiple_of(2) { wdl } else { wdl.flipped() };
        found.push(Branch { parent, chess_move, visits: u64::from(visits), wdl });
        places.push((after, depth + 1));
        if depth + 1 < DEEPEST_BRANCH {
            walk.open(child, Some(found.len() - 1));
        }
    }
    found
}

/// A child that may be listed next.
#[derive(Clone, Copy)]
struct Candidate {
    from: NodeId,
    /// The index of `from` among the listed nodes.
    parent: Option<usize>,
    ordinal: usize,
}

/// The children of listed nodes that are not listed yet, the most visited first, the older one among equals.
struct Walk<'a> {
    tree: &'a Tree,
    least: u32,
    candidates: Vec<Candidate>,
    waiting: BinaryHeap<(u32, Reverse<usize>)>,
}

impl<'a> Walk<'a> {
    fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            least: (tree.node(ROOT).visits / LEAST_BRANCH_SHARE).max(1),
            candidates: Vec::new(),
            waiting: BinaryHeap::new(),
        }
    }

    fn open(&mut self, from: NodeId, parent: Option<usize>) {
        for (ordinal, child) in self.tree.child_ids(from).enumerate() {
            let visits = self.tree.node(child).visits;
            if visits >= self.least {
                self.waiting.push((visits, Reverse(self.candidates.len())));
                self.candidates.push(Candidate { from, parent, ordinal });
            }
        }
    }

    fn next(&mut self) -> Option<(u32, Candidate)> {
        let (visits, Reverse(place)) = self.waiting.pop()?;
        Some((visits, self.candidates[place]))
    }
}
