//! Carries the tree from one move to the next.

use chess::{CastlingMode, Game, Move, PlayerRatings, Position};

use super::tree::{NodeId, ROOT, State, Tree};
use crate::packed::PackedMove;

/// The game at whose last position a tree has its root.
pub(crate) struct Anchor {
    keys: Vec<u64>,
    halfmoves: u32,
    castling_mode: CastlingMode,
    ratings: PlayerRatings,
}

impl Anchor {
    pub(crate) fn new(game: &Game) -> Self {
        Self {
            keys: game.history().iter().map(|entry| entry.key).collect(),
            halfmoves: game.position().halfmoves(),
            castling_mode: game.castling_mode(),
            ratings: game.ratings(),
        }
    }

    /// The moves that lead from here to the current position of `game`; `None` if it is not a continuation of the
    /// same game. The whole history must agree, because repetitions and the fifty-move count depend on it, and the players' ratings,
    /// because networks may see them.
    pub(crate) fn continuation<'game>(&self, game: &'game Game) -> Option<&'game [Move]> {
        let history = game.history();
        let last = self.keys.len().checked_sub(1)?;
        let same = history.len() >= self.keys.len()
            && history.iter().zip(&self.keys).all(|(entry, &key)| entry.key == key)
            && history[last].position.halfmoves() == self.halfmoves
            && game.castling_mode() == self.castling_mode
            && game.ratings() == self.ratings;
        same.then(|| &game.moves()[last..])
    }
}

/// Makes the node after `moves` the root. False if that node was never searched; the tree is then in no usable state.
pub(crate) fn advance(tree: &mut Tree, moves: &[Move]) -> bool {
    for &chess_move in moves {
        let packed = PackedMove::pack(chess_move);
        let edge = tree.edges(ROOT).iter().position(|edge| edge.chess_move == packed);
        match edge {
            Some(ordinal) if tree.promote(ordinal) => {}
            _ => return false,
        }
    }
    let searched = tree.node(ROOT).edge_count > 0;
    if searched && !moves.is_empty() {
        forget_repetitions(tree, ROOT, 0);
    }
    searched
}

/// Removes the visits of leaves that were drawn because they repeated a position which no longer lies in the search but before
/// its root: a draw now takes a third occurrence. Returns the visits removed, all of value 0 and draw 1.
///
/// Recursion is bounded by the largest depth of the tree ([`super::numbers::MAX_DEPTH`]).
fn forget_repetitions(tree: &mut Tree, id: NodeId, depth: usize) -> u32 {
    let node = tree.node(id);
    if node.state == State::Repeated {
        if usize::from(node.plies) <= depth {
            return 0;
        }
        tree.forget(id);
        return node.visits;
    }
    let children: Vec<NodeId> = tree.child_ids(id).collect();
    let removed = children.into_iter().map(|child| forget_repetitions(tree, child, depth + 1)).sum();
    // Visits of a proven node count as its result in all averages above, whatever they found.
    if removed == 0 || node.state.exact().is_some() {
        return 0;
    }
    tree.remove_draws(id, removed);
    removed
}
