//! Matrices stored in eight bits: an integer from -127 to 127 times a step.
//!
//! Steps are powers of two, so that rounding is idempotent.

use super::Matrix;

/// The part of a matrix that has its own quantisation step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightQuantisation {
    /// The whole matrix, with a step of at least [`FINEST`].
    Matrix,
    /// Each row.
    Rows,
}

/// The finest step of a whole matrix: in play, sums of rows are computed in this unit.
pub const FINEST: f32 = 1.0 / 128.0;

/// The largest integer; the smallest is its negative.
const LARGEST: f32 = 127.0;

/// The finest step of a row, used for a row of zeros.
const FINEST_OF_ROW: f32 = 1.0 / 16_777_216.0;

/// The integers of a matrix and their steps: one step for all rows, or one for each row.
pub(super) fn round(matrix: &Matrix, quantisation: WeightQuantisation) -> (Vec<u8>, Vec<f32>) {
    let columns = matrix.shape[1].max(1);
    let (length, finest) = match quantisation {
        WeightQuantisation::Matrix => (matrix.values.len().max(1), FINEST),
        WeightQuantisation::Rows => (columns, FINEST_OF_ROW),
    };
    let mut steps = Vec::new();
    let mut integers = Vec::with_capacity(matrix.values.len());
    for values in matrix.values.chunks(length) {
        let step = step(values, finest);
        integers.extend(values.iter().map(|value| ((value / step).round_ties_even() as i8).cast_unsigned()));
        steps.push(step);
    }
    (integers, steps)
}

/// The finest power of two at which no value exceeds the largest integer.
fn step(values: &[f32], finest: f32) -> f32 {
    let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let mut step = finest;
    while largest > LARGEST * step {
        step *= 2.0;
    }
    step
}

/// The values represented by integers, with one step per row or one for all rows.
pub(super) fn restore(integers: &[u8], columns: usize, steps: &[f32]) -> Vec<f32> {
    let length = if steps.len() == 1 { integers.len() } else { columns };
    let rows = integers.chunks(length.max(1)).zip(steps);
    rows.flat_map(|(row, step)| row.iter().map(move |integer| f32::from(integer.cast_signed()) * step))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prop_assert, prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn values_are_near_and_rounding_twice_changes_nothing(values in vec(-30.0_f32..30.0, 24)) {
            for (quantisation, count) in [(WeightQuantisation::Matrix, 1), (WeightQuantisation::Rows, 4)] {
                let matrix = Matrix { name: "m".into(), shape: [4, 6], values: values.clone() };
                let (integers, steps) = round(&matrix, quantisation);
                prop_assert_eq!((integers.len(), steps.len()), (24, count));
                let restored = restore(&integers, 6, &steps);
                for (number, (value, restored)) in values.iter().zip(&restored).enumerate() {
                    let step = steps[if count == 1 { 0 } else { number / 6 }];
                    prop_assert!((value - restored).abs() <= step / 2.0, "{value} {restored} {step}");
                }
                let again = round(&Matrix { values: restored.clone(), ..matrix }, quantisation);
                prop_assert_eq!(&restored, &restore(&again.0, 6, &again.1));
            }
        }
    }

    #[test]
    fn a_matrix_has_a_step_of_at_least_the_finest_and_a_row_of_zeros_the_finest() {
        let matrix = |values: Vec<f32>| Matrix { name: "m".into(), shape: [1, 2], values };
        assert_eq!(
            round(&matrix(vec![0.25, -1.0 / 128.0]), WeightQuantisation::Matrix),
            (vec![32, 255], vec![FINEST])
        );
        assert_eq!(round(&matrix(vec![0.0; 2]), WeightQuantisation::Rows), (vec![0; 2], vec![FINEST_OF_ROW]));
        assert_eq!(round(&matrix(vec![1.0, 0.0]), WeightQuantisation::Matrix).1, [2.0 * FINEST]);
    }
}
