//! Features of pieces on squares.

use shakmaty::Chess;

use super::{FeatureList, FeatureSet};
use crate::board_view::BoardView;

/// `pieces`: a feature for each piece, `64 kind + square`.
///
/// Kinds are own pawn, knight, bishop, rook, queen, king, then the opponent's.
#[derive(Clone, Copy, Debug)]
pub struct PieceFeatures;

/// Features of one piece on one square.
pub(super) const PIECES: usize = 12 * 64;

impl FeatureSet for PieceFeatures {
    fn name(&self) -> &'static str {
        "pieces"
    }

    fn size(&self) -> usize {
        PIECES
    }

    fn active(&self, position: &Chess, features: &mut FeatureList) {
        features.clear();
        BoardView::new(position).for_each_piece(|kind, square| features.push(64 * kind + square));
    }
}
