//! What captures win by force corrects the value: in the middle of an exchange networks judge worst.

use chess::{Evaluation, SearchOptions, Wdl};

use super::{Hint, HintContext};
use crate::{material::quiescence::gain, score::wdl_from, tunables::tunables};

// A value beyond this is a certainty to which nothing can be added.
const SURE: f32 = 0.9999;

tunables! {
    /// How much captures count.
    QuiescenceOptions

    "QuiescenceWeight" weight: f32 = 0.0 in 0.0, 2.0;
    "What a pawn that the side to move wins by captures adds to the evaluator's value, in log-odds; 0 trusts the evaluator alone."
}

pub(super) fn make(options: &SearchOptions) -> Option<Box<dyn Hint>> {
    let weight = QuiescenceOptions::read(options).weight;
    (weight > 0.0).then(|| Box::new(Quiescence { weight }) as _)
}

struct Quiescence {
    weight: f32,
}

impl Hint for Quiescence {
    fn apply(&self, place: &HintContext<'_>, evaluation: &mut Evaluation) {
        evaluation.wdl = corrected(evaluation.wdl, gain(place.game.position()), self.weight);
    }
}

/// The evaluator's answer for a leaf whose mover wins `gain` pawns by captures: the log-odds of its expected score rise by
/// `weight` for each, and what is left is drawn in the same proportion as before.
///
/// The functions are libm's, so that a search makes the same choices on every machine.
fn corrected(wdl: Wdl, gain: i32, weight: f32) -> Wdl {
    if gain == 0 {
        return wdl;
    }
    let value = wdl.value().clamp(-SURE, SURE);
    let moved = libm::tanhf(libm::atanhf(value) + 0.5 * weight * gain as f32);
    wdl_from(moved, wdl.draw * (1.0 - moved.abs()) / (1.0 - value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_move_the_log_odds() {
        let log_odds = |wdl: Wdl| {
            let score = f32::midpoint(1.0, wdl.value());
            (score / (1.0 - score)).ln()
        };
        for wdl in
            [Wdl { win: 0.3, draw: 0.3, loss: 0.4 }, Wdl { win: 0.05, draw: 0.0, loss: 0.95 }, Wdl::DRAW]
        {
            assert_eq!(corrected(wdl, 0, 0.5), wdl);
            for gain in [-9, -1, 1, 3, 5] {
                let moved = corrected(wdl, gain, 0.25);
                assert!(
                    (log_odds(moved) - log_odds(wdl) - 0.25 * gain as f32).abs() < 1e-4,
                    "{wdl:?} {gain}"
                );
                let drawn = |wdl: Wdl| wdl.draw / (1.0 - wdl.value().abs());
                assert!((drawn(moved) - drawn(wdl)).abs() < 1e-4);
                assert!((moved.win + moved.draw + moved.loss - 1.0).abs() < 1e-6);
            }
        }
        let sure = corrected(Wdl::LOSS, 100, 2.0);
        assert!(sure.win <= 1.0 && sure.value().is_finite(), "{sure:?}");
    }
}
