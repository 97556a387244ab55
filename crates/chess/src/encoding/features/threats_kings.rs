//! Threats, and features of pieces on squares by the area of the mover's king.

use shakmaty::Chess;

use super::{
    FeatureList, FeatureSet,
    pieces::PIECES,
    threats::{THREATS, push_threats},
};
use crate::board_view::BoardView;

/// `threats-kings`: the features of `threats`, then one for each piece, `12288 + 768 area + 64 kind + square`.
///
/// The area is that of the mover's king, `4 file + ranks`: files a to d, ranks 1, 2, 3 to 4, 5 to 8. Kinds are those of
/// `pieces`. The idea comes from HalfKP in NNUE (Nasu 2018), with areas instead of squares.
#[derive(Clone, Copy, Debug)]
pub struct ThreatKingFeatures;

const AREAS: usize = 16;

/// The part of an area that a rank is in.
const RANKS: [usize; 8] = [0, 1, 2, 2, 3, 3, 3, 3];

impl FeatureSet for ThreatKingFeatures {
    fn name(&self) -> &'static str {
        "threats-kings"
    }

    fn size(&self) -> usize {
        THREATS + AREAS * PIECES
    }

    fn active(&self, position: &Chess, features: &mut FeatureList) {
        let view = BoardView::new(position);
        features.clear();
        push_threats(&view, features);
        let king = view.own_king();
        let area = THREATS + PIECES * (4 * (king % 8) + RANKS[king / 8]);
        view.for_each_piece(|kind, square| features.push(area + 64 * kind + square));
    }
}
