//! Features of pieces on squares, by whether they are attacked and defended.

use shakmaty::Chess;

use super::{FeatureList, FeatureSet, pieces::PIECES};
use crate::board_view::BoardView;

/// `attacks`: a feature for each piece, `64 kind + square`, plus 768 where the opponent attacks the square and 1,536 where the
/// mover does.
///
/// The input of the policy network of Monty (<https://github.com/official-monty/Monty>). Kinds are those of `pieces`.
#[derive(Clone, Copy, Debug)]
pub struct AttackFeatures;

/// Features of one piece on one square, attacked and defended or not.
pub(super) const SEEN_PIECES: usize = 4 * PIECES;

impl FeatureSet for AttackFeatures {
    fn name(&self) -> &'static str {
        "attacks"
    }

    fn size(&self) -> usize {
        SEEN_PIECES
    }

    fn active(&self, position: &Chess, features: &mut FeatureList) {
        let view = BoardView::new(position);
        features.clear();
        push_seen_pieces(&view, &view.attacks(), features);
    }
}

/// Adds the features of the pieces; `attacks` are those of the view.
#[inline]
pub(super) fn push_seen_pieces(view: &BoardView, attacks: &[u64; 12], features: &mut FeatureList) {
    let (own, other) = attacks.split_at(6);
    let [own, other] = [own, other].map(|kinds| kinds.iter().fold(0, |all, kind| all | kind));
    view.for_each_piece(|kind, square| {
        let attacked = (other >> square & 1) as usize;
        let defended = (own >> square & 1) as usize;
        features.push(64 * kind + square + PIECES * (attacked + 2 * defended));
    });
}
