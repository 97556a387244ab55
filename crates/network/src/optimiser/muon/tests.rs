//! Compares the fast iteration with the plain one in double precision, and tests its effect on singular values.

use crate::{architecture::Architecture, synthetic::tiny_spec};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

type Matrix = Vec<Vec<f64>>;

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let entry = |row: &Vec<f64>, column: usize| row.iter().zip(right).map(|(a, b)| a * b[column]).sum();
    left.iter().map(|row| (0..right[0].len()).map(|column| entry(row, column)).collect()).collect()
}

fn transposed(matrix: &Matrix) -> Matrix {
    (0..matrix[0].len()).map(|column| matrix.iter().map(|row| row[column]).collect()).collect()
}

/// `a X + b (X Xᵀ) X + c (X Xᵀ)² X`, five times, as written in the paper.
fn plain(matrix: &Matrix) -> Matrix {
    let length = matrix.iter().flatten().map(|value| value * value).sum::<f64>().sqrt();
    let mut matrix: Matrix =
        matrix.iter().map(|row| row.iter().map(|value| value / length).collect()).collect();
    for _ in 0..5 {
        let square = product(&matrix, &transposed(&matrix));
        let [once, twice] = [product(&square, &matrix), product(&product(&square, &square), &matrix)];
        for (row, (once, twice)) in matrix.iter_mut().zip(once.iter().zip(&twice)) {
            for (value, (once, twice)) in row.iter_mut().zip(once.iter().zip(twice)) {
                *value = 3.4445 * *value - 4.7750 * once + 2.0315 * twice;
            }
        }
    }
    matrix
}

/// A tall, a wide and a square matrix with random entries whose sizes differ strongly between rows.
fn gradients() -> Vec<(ParameterShape, Vec<f32>)> {
    let architecture = Architecture::new(&tiny_spec()).unwrap();
    let hidden = architecture.parameters().iter().find(|shape| shape.is_hidden()).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let gradient = |(rows, columns)| {
        let mut shape = hidden.clone();
        (shape.rows, shape.columns) = (rows, columns);
        let value = |index: usize| {
            random.random_range(-1.0..1.0_f32) * 10.0_f32.powi(-((index / columns % 3) as i32))
        };
        (shape, (0..rows * columns).map(value).collect())
    };
    [(54, 6), (5, 20), (7, 7)].map(gradient).to_vec()
}

#[test]
fn the_fast_iteration_equals_the_plain_one() {
    for (shape, gradient) in gradients() {
        let rows: Matrix = gradient
            .chunks_exact(shape.columns)
            .map(|row| row.iter().map(|value| f64::from(*value)).collect())
            .collect();
        let slow = plain(&rows).concat();
        for (fast, slow) in orthogonalised(&gradient, &shape).iter().zip(&slow) {
            assert!((f64::from(*fast) - slow).abs() < 1e-3, "{shape:?}: {fast} and {slow}");
        }
    }
}

#[test]
fn singular_values_come_near_to_one_and_zeros_stay_zero() {
    for (shape, gradient) in gradients() {
        let matrix = orthogonalised(&gradient, &shape);
        let energy = matrix.iter().map(|value| value * value).sum::<f32>();
        let mean = (energy / shape.rows.min(shape.columns) as f32).sqrt();
        assert!((0.68..1.14).contains(&mean), "{shape:?}: {mean}");
        let longer = gradient.iter().map(|value| value * 1000.0).collect::<Vec<_>>();
        for (one, other) in orthogonalised(&longer, &shape).iter().zip(&matrix) {
            assert!((one - other).abs() < 1e-4, "the length of the gradient does not matter");
        }
        assert!(orthogonalised(&vec![0.0; gradient.len()], &shape).iter().all(|value| *value == 0.0));
    }
}
