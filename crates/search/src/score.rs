//! How a tree's values are shown: centipawns from expected results, mates from proofs.

use chess::{Score, Wdl};

/// Centipawns for an expected result `q` between -1 and 1: `90 tan(1.5637541897 q)`, lc0's default conversion
/// (`src/search/classic/search.cc`), under which 0.5 is about +90 and 1 about +12,800.
pub fn centipawns(q: f32) -> i32 {
    (90.0 * (1.563_754_2 * f64::from(q.clamp(-1.0, 1.0))).tan()).round() as i32
}

/// The score of a position that is not proven.
pub fn score_of(wdl: Wdl) -> Score {
    Score::Centipawns(centipawns(wdl.value()))
}

/// Win, draw and loss from an expected result and a draw probability, as the tree keeps them. Rounding may have pushed
/// them apart, so the draw probability yields to the value.
pub fn wdl_from(value: f32, draw: f32) -> Wdl {
    let value = value.clamp(-1.0, 1.0);
    let draw = draw.clamp(0.0, 1.0 - value.abs());
    let decided = 1.0 - draw;
    Wdl { win: f32::midpoint(decided, value), draw, loss: f32::midpoint(decided, -value) }
}
