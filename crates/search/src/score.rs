//! Scores shown to users: centipawns from expected results, mates from proofs.

use chess::{Score, Wdl};

/// Centipawns for an expected result `q` between -1 and 1: `90 tan(1.5637541897 q)`, lc0's default conversion
/// (`src/search/classic/search.cc`), under which 0.5 is about +90 and 1 about +12,800.
pub fn centipawns(q: f32) -> i32 {
    (90.0 * (1.563_754_189_7 * f64::from(q.clamp(-1.0, 1.0))).tan()).round() as i32
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_follow_lc0s_curve_and_are_antisymmetric() {
        for (q, expected) in [(0.0, 0), (0.1, 14), (0.5, 90), (0.9, 546), (1.0, 12_780)] {
            let found = centipawns(q);
            assert!((found - expected).abs() <= 1 + expected / 500, "{q}: {found} instead of {expected}");
            assert_eq!(centipawns(-q), -found);
        }
        assert_eq!(centipawns(7.0), centipawns(1.0));
    }

    #[test]
    fn wdl_is_a_distribution_whatever_rounding_did() {
        for value in [-1.000_01, -1.0, -0.3, 0.0, 0.7, 1.0] {
            for draw in [-0.000_01, 0.0, 0.25, 0.999, 1.000_01] {
                let wdl = wdl_from(value, draw);
                assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-6);
                assert!(wdl.win.min(wdl.draw).min(wdl.loss) >= 0.0, "{wdl:?}");
                assert!((wdl.value() - value.clamp(-1.0, 1.0)).abs() < 1e-6);
            }
        }
    }
}
