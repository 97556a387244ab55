//! From the values of the positions of a game to what its moves were worth.
//!
//! Values are win percentages, 100 times the expected score. The curves and thresholds are Lichess's (lila:
//! modules/analyse/src/main/AccuracyPercent.scala and Advice.scala, modules/common/src/main/Maths.scala), applied to a
//! network's own expected score instead of a curve through centipawns.

use chess::Color;

/// Win percentage lost from which on a move is an inaccuracy, a mistake, a blunder: Lichess's 0.1, 0.2 and 0.3 on the scale
/// from -1 to 1.
pub(super) const THRESHOLDS: [f64; 3] = [5.0, 10.0, 15.0];

/// A move's accuracy from the win percentage it lost, 0 to 100.
pub(super) fn move_accuracy(loss: f64) -> f64 {
    if loss <= 0.0 {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * loss).exp() - 3.166_924_740_191_411;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// A side's accuracy over a game, 0 to 100; `None` where it made no move.
///
/// `values` are White's win percentages of the positions from the start to the end, one more than there are moves; `first` is
/// who moved first. Moves at moments where the value swings weigh more: the weight is the standard deviation of the values
/// in a window around the move. The result is the mean of the weighted and the harmonic mean of the moves' accuracies.
pub(super) fn game_accuracy(values: &[f64], first: Color, side: Color) -> Option<f64> {
    let moves = values.len().checked_sub(1)?;
    let window = (moves / 10).clamp(2, 8);
    let (mut weighted, mut weights, mut harmonic, mut count) = (0.0, 0.0, 0.0, 0.0);
    for number in 0..moves {
        let mover = if number % 2 == 0 { first } else { !first };
        if mover != side {
            continue;
        }
        let accuracy = move_accuracy(loss(values[number], values[number + 1], mover));
        // The window ends at the position after the move; the first moves share the first one.
        let end = (number + 2).max(window).min(values.len());
        let weight = deviation(&values[end - window..end]).clamp(0.5, 12.0);
        weighted += accuracy * weight;
        weights += weight;
        harmonic += 1.0 / accuracy.max(1.0);
        count += 1.0;
    }
    (count > 0.0).then(|| f64::midpoint(weighted / weights, count / harmonic))
}

/// What a move cost its side, in points of win percentage.
pub(super) fn loss(before: f64, after: f64, mover: Color) -> f64 {
    mover.fold_wb(before - after, after - before).max(0.0)
}

/// Standard deviation of all values (not of a sample).
fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_lichess_accuracies() {
        for (lost, accuracy) in [(0.0, 100.0), (5.0, 80.8), (10.0, 64.6), (20.0, 41.0), (40.0, 15.9)] {
            assert!((move_accuracy(lost) - accuracy).abs() < 0.06, "{lost}: {}", move_accuracy(lost));
        }
        assert_eq!(move_accuracy(100.0), 0.0);
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
        assert_eq!(game_accuracy(&level, Color::White, Color::White), Some(100.0));
        let mut blunder = level;
        blunder[6..].fill(90.0);
        let white = game_accuracy(&blunder, Color::White, Color::White).unwrap();
        let black = game_accuracy(&blunder, Color::White, Color::Black).unwrap();
        assert_eq!(white, 100.0);
        assert!(black < 60.0, "{black}");
        assert_eq!(game_accuracy(&[50.0], Color::White, Color::White), None);
        assert_eq!(game_accuracy(&[50.0, 50.0], Color::White, Color::Black), None);
    }

    #[test]
    fn colours_are_treated_alike() {
        let values = [50.0, 52.0, 40.0, 45.0, 70.0, 20.0, 25.0, 90.0];
        let mirrored = values.map(|value| 100.0 - value);
        let white = game_accuracy(&values, Color::White, Color::White).unwrap();
        let black = game_accuracy(&mirrored, Color::Black, Color::Black).unwrap();
        assert!((white - black).abs() < 1e-9);
    }
}
