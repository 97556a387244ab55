//! Features of pieces that attack or protect others.

use shakmaty::Chess;

use super::{FeatureList, FeatureSet, attacks::SEEN_PIECES, attacks::push_seen_pieces};
use crate::board_view::{BoardView, squares};

/// `threats`: the features of `attacks`, then one for each kind of piece that attacks or protects a piece,
/// `3072 + 64 (12 attacker's kind + victim's kind) + victim's square`.
///
/// A compact form of the 79,856 threats of Monty's value network, which also encode the attacker's square.
/// Two pieces of a kind that attack the same piece give one feature: counting them twice did not improve a
/// network of width 256 (correlation with Stockfish's evaluations after 4 million positions 0.906 instead of
/// 0.908). Kinds are those of `pieces`.
#[derive(Clone, Copy, Debug)]
pub struct ThreatFeatures;

/// Number of features of this set.
pub(super) const THREATS: usize = SEEN_PIECES + 12 * 12 * 64;

impl FeatureSet for ThreatFeatures {
    fn name(&self) -> &'static str {
        "threats"
    }

    fn size(&self) -> usize {
        THREATS
    }

    fn active(&self, position: &Chess, features: &mut FeatureList) {
        features.clear();
        push_threats(&BoardView::new(position), features);
    }
}

/// Adds the features of this set.
#[inline]
pub(super) fn push_threats(view: &BoardView, features: &mut FeatureList) {
    let attacks = view.attacks();
    let mut kinds = [0_u8; 64];
    view.for_each_piece(|kind, square| kinds[square] = kind as u8);
    let occupied = view.occupied();
    for (attacker, attacked) in attacks.into_iter().enumerate() {
        squares(attacked & occupied, |square| {
            let victim = usize::from(kinds[square]);
            features.push(SEEN_PIECES + 64 * (12 * attacker + victim) + square);
        });
    }
    push_seen_pieces(view, &attacks, features);
}
