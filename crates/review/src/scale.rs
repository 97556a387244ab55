//! From the losses of a game's moves to their accuracies and marks.
//!
//! Losses are in points of win percentage, 100 times the expected score. The shape of the curve and the two means are
//! Lichess's (lila: modules/analyse/src/main/AccuracyPercent.scala). Its rate, the weights of the moves and the limits of the
//! marks are our own: a small network at a few hundred visits is less certain than the Stockfish behind Lichess's constants,
//! which would mark every second move here.

use chess::Color;

use crate::point::Judgement;

/// Lichess's curve of a move's accuracy: `HEIGHT e^(-rate loss) - FLOOR`, and what it adds for the uncertainty of an engine's analysis.
const HEIGHT: f64 = 103.166_810_071_164_9;
const FLOOR: f64 = 3.166_924_740_191_411;
const UNCERTAINTY_BONUS: f64 = 1.0;

/// The harmonic mean raises lower accuracies to this one: a single 0 would make the mean 0.
const LEAST_ACCURACY: f64 = 1.0;

/// Minimum weight of a move, so that a game without a level position also has an accuracy; negligible next to
/// the weight 1 of a level position.
const LEAST_WEIGHT: f64 = 1e-3;

/// Thresholds of judgements and the slope of accuracy. [`ReviewScale::CALIBRATED`] was measured; `tabiya review --fit` measures
/// another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReviewScale {
    /// Loss from which a move is an inaccuracy, a mistake, a blunder.
    pub limits: [f64; 3],
    /// Decay of accuracy: the factor of the loss in the exponent.
    pub rate: f64,
}

impl ReviewScale {
    /// Fitted with the bundled network (docs/experiments/review-scale.md): of the moves of players rated 1400 to
    /// 1799, 20 % are marked, 12 % at least as mistakes, 6 % as blunders, and their median game has an accuracy of 80.
    pub const CALIBRATED: Self = Self { limits: [8.8, 14.1, 20.8], rate: 0.0348 };

    /// Classifies a move by its loss in points of win percentage.
    pub fn judge(&self, loss: f64) -> Judgement {
        let [inaccuracy, mistake, blunder] = self.limits;
        match loss {
            loss if loss >= blunder => Judgement::Blunder,
            loss if loss >= mistake => Judgement::Mistake,
            loss if loss >= inaccuracy => Judgement::Inaccuracy,
            _ => Judgement::Fine,
        }
    }

    /// A move's accuracy from its loss, 0 to 100.
    pub fn move_accuracy(&self, loss: f64) -> f64 {
        if loss <= 0.0 {
            return 100.0;
        }
        let raw = HEIGHT * (-self.rate * loss).exp() - FLOOR;
        (raw + UNCERTAINTY_BONUS).clamp(0.0, 100.0)
    }

    /// A side's accuracy over a game, 0 to 100; `None` if it never had a choice.
    ///
    /// `values` are White's win percentages of the positions from the start to the end, `losses` those of the
    /// moves between them, `None` for the only legal ones; `first` is the side that moved first. A move has
    /// the weight 4 E (1 - E), where E is the expected score before it: 1 in a level position and almost 0 in
    /// a won or lost one, where no move can lose much and every move would look perfect. The result is the
    /// mean of the weighted arithmetic and the weighted harmonic mean of the moves' accuracies. Lichess
    /// weighs by how the value swings around the move, which distinguishes players of different strength less
    /// well (docs/experiments/review-scale.md).
    pub fn game_accuracy(
        &self,
        values: &[f64],
        losses: &[Option<f64>],
        first: Color,
        side: Color,
    ) -> Option<f64> {
        let (mut sum, mut weights, mut reciprocals) = (0.0, 0.0, 0.0);
        for (ply, (loss, before)) in losses.iter().zip(values).enumerate() {
            let mover = if ply.is_multiple_of(2) { first } else { !first };
            let Some(loss) = loss.filter(|_| mover == side) else { continue };
            let accuracy = self.move_accuracy(loss);
            let expected = before / 100.0;
            let weight = (4.0 * expected * (1.0 - expected)).max(LEAST_WEIGHT);
            sum += weight * accuracy;
            weights += weight;
            // For the harmonic mean, in which one bad move counts more than several good ones make up for.
            reciprocals += weight / accuracy.max(LEAST_ACCURACY);
        }
        (weights > 0.0).then(|| f64::midpoint(sum / weights, weights / reciprocals))
    }
}

/// Loss of the mover between two positions, in points of win percentage.
pub(crate) fn loss(before: f64, after: f64, mover: Color) -> f64 {
    mover.fold_wb(before - after, after - before).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::{
        collection::vec,
        prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest},
    };

    use super::*;

    /// Largest difference of sums in another order, in points of accuracy.
    const ROUNDING: f64 = 1e-9;

    /// Lichess's own constants.
    const LICHESS: ReviewScale = ReviewScale { limits: [5.0, 10.0, 15.0], rate: 0.043_544_153_867_539_51 };

    fn losses(values: &[f64]) -> Vec<Option<f64>> {
        let movers = [Color::White, Color::Black].into_iter().cycle();
        values.windows(2).zip(movers).map(|(pair, mover)| Some(loss(pair[0], pair[1], mover))).collect()
    }

    fn accuracy(values: &[f64], side: Color) -> Option<f64> {
        LICHESS.game_accuracy(values, &losses(values), Color::White, side)
    }

    #[test]
    fn losses_have_lichess_accuracies_at_its_rate() {
        for (lost, accuracy) in [(0.0, 100.0), (5.0, 80.8), (10.0, 64.6), (20.0, 41.0), (40.0, 15.9)] {
            assert!((LICHESS.move_accuracy(lost) - accuracy).abs() < 0.06, "{lost}");
        }
        assert_eq!(LICHESS.move_accuracy(100.0), 0.0);
    }

    #[test]
    fn limits_belong_to_the_worse_mark() {
        use Judgement::{Blunder, Fine, Inaccuracy, Mistake};
        let scale = ReviewScale { limits: [4.0, 9.0, 20.0], ..LICHESS };
        let judged = [3.9, 4.0, 9.0, 19.9, 20.0].map(|loss| scale.judge(loss));
        assert_eq!(judged, [Fine, Inaccuracy, Mistake, Mistake, Blunder]);
        assert!(ReviewScale::CALIBRATED.limits.is_sorted());
    }

    #[test]
    fn only_the_mover_loses() {
        assert_eq!(loss(60.0, 50.0, Color::White), 10.0);
        assert_eq!(loss(60.0, 50.0, Color::Black), 0.0);
        assert_eq!(loss(50.0, 60.0, Color::Black), 10.0);
    }

    #[test]
    fn a_flawless_game_is_perfect_for_both_and_a_blunder_is_the_blunderers() {
        let level = [50.0; 11];
        assert_eq!(accuracy(&level, Color::White), Some(100.0));
        let mut blunder = level;
        blunder[6..].fill(90.0);
        let (white, black) = (accuracy(&blunder, Color::White), accuracy(&blunder, Color::Black));
        assert_eq!(white, Some(100.0));
        // Accuracies 100, 100, 15.9 in level positions, then 100 and 100 with a weight of 0.36: means 77.4 and 41.3.
        assert!((black.unwrap() - 59.3).abs() < 0.1, "{black:?}");
        assert_eq!(accuracy(&[50.0], Color::White), None);
        assert_eq!(accuracy(&[50.0, 50.0], Color::Black), None);
    }

    #[test]
    fn moves_of_a_decided_game_hardly_count_and_forced_ones_do_not() {
        // White errs once while the game is level; ten further quiet moves in a lost position make little
        // difference.
        let short = accuracy(&[50.0, 40.0, 40.0], Color::White).unwrap();
        let long = [[50.0, 40.0].as_slice(), &[0.1; 20]].concat();
        assert!((accuracy(&long, Color::White).unwrap() - short).abs() < 3.0);
        let level = [[50.0, 40.0].as_slice(), &[40.0; 20]].concat();
        assert!(accuracy(&level, Color::White).unwrap() > short + 10.0);
        let mut forced = losses(&[50.0, 40.0, 40.0]);
        forced[0] = None;
        assert_eq!(LICHESS.game_accuracy(&[50.0, 40.0, 40.0], &forced, Color::White, Color::White), None);
        // A game that was lost from the start is judged by the moves there are.
        assert!(accuracy(&[1.0, 0.5, 0.5], Color::White).unwrap() > 90.0);
    }

    /// An arbitrary game as input of the scale.
    #[derive(Clone, Debug)]
    struct Curve {
        scale: ReviewScale,
        values: Vec<f64>,
        losses: Vec<Option<f64>>,
        first: Color,
    }

    impl Curve {
        fn any() -> impl Strategy<Value = Self> {
            let positions = vec((0.0..=100.0_f64, prop::bool::weighted(0.9)), 1..60);
            (0.001..=1.0_f64, positions, any::<bool>()).prop_map(|(rate, positions, white_first)| {
                let scale = ReviewScale { rate, ..LICHESS };
                let first = Color::from_white(white_first);
                let movers = [first, !first].into_iter().cycle();
                let losses = positions
                    .windows(2)
                    .zip(movers)
                    .map(|(pair, mover)| pair[0].1.then(|| loss(pair[0].0, pair[1].0, mover)))
                    .collect();
                Self { scale, values: positions.iter().map(|(value, _)| *value).collect(), losses, first }
            })
        }

        fn mover(&self, ply: usize) -> Color {
            if ply.is_multiple_of(2) { self.first } else { !self.first }
        }

        fn accuracy(&self, side: Color) -> Option<f64> {
            self.scale.game_accuracy(&self.values, &self.losses, self.first, side)
        }

        fn colours_swapped(&self) -> Self {
            let values = self.values.iter().map(|value| 100.0 - value).collect();
            Self { values, first: !self.first, ..self.clone() }
        }
    }

    proptest! {
        #[test]
        fn accuracy_is_a_percentage_of_each_side_that_had_a_choice(curve in Curve::any()) {
            for side in Color::ALL {
                let free = (0..curve.losses.len())
                    .any(|ply| curve.mover(ply) == side && curve.losses[ply].is_some());
                let accuracy = curve.accuracy(side);
                prop_assert_eq!(accuracy.is_some(), free);
                prop_assert!(accuracy.is_none_or(|found| (0.0..=100.0 + ROUNDING).contains(&found)));
            }
        }

        #[test]
        fn moves_that_lose_nothing_are_perfect(mut curve in Curve::any()) {
            curve.losses.iter_mut().flatten().for_each(|loss| *loss = 0.0);
            for side in Color::ALL {
                prop_assert!(curve.accuracy(side).is_none_or(|found| (found - 100.0).abs() < ROUNDING));
            }
        }

        #[test]
        fn colours_are_treated_alike(curve in Curve::any()) {
            let swapped = curve.colours_swapped();
            for side in Color::ALL {
                let (own, other) = (curve.accuracy(side), swapped.accuracy(!side));
                prop_assert_eq!(own.is_some(), other.is_some());
                prop_assert!(own.zip(other).is_none_or(|(own, other)| (own - other).abs() < ROUNDING));
            }
        }

        #[test]
        fn whoever_loses_more_is_less_accurate_and_the_opponent_is_as_before(
            curve in Curve::any(),
            at in any::<prop::sample::Index>(),
            more in 0.0..=100.0_f64,
        ) {
            let mut worse = curve.clone();
            let Some(ply) = (!curve.losses.is_empty()).then(|| at.index(curve.losses.len())) else {
                return Ok(());
            };
            worse.losses[ply] = curve.losses[ply].map(|loss| loss + more);
            let mover = curve.mover(ply);
            prop_assert_eq!(worse.accuracy(!mover), curve.accuracy(!mover));
            let both = worse.accuracy(mover).zip(curve.accuracy(mover));
            prop_assert!(both.is_none_or(|(after, before)| after <= before + ROUNDING));
        }

        // `tabiya review --fit` halves the range of rates and relies on it.
        #[test]
        fn a_higher_rate_lowers_every_accuracy(curve in Curve::any(), more in 0.0..=1.0_f64) {
            let mut stricter = curve.clone();
            stricter.scale.rate += more;
            for side in Color::ALL {
                let both = stricter.accuracy(side).zip(curve.accuracy(side));
                prop_assert!(both.is_none_or(|(after, before)| after <= before + ROUNDING));
            }
        }

        #[test]
        fn larger_losses_have_no_better_marks(small in 0.0..=100.0_f64, more in 0.0..=100.0_f64) {
            use Judgement::{Blunder, Fine, Inaccuracy, Mistake};
            let severity = |loss| {
                let judged = ReviewScale::CALIBRATED.judge(loss);
                [Fine, Inaccuracy, Mistake, Blunder].iter().position(|kind| *kind == judged)
            };
            prop_assert!(severity(small) <= severity(small + more));
        }
    }
}
