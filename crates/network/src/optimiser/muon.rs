//! Muon: updates of whole matrices (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks").
//!
//! The gradient of a matrix is dominated by a few singular values; in the step that changes the layer's outputs most for its
//! size, all singular values are equal. The Newton-Schulz iteration approximates that step with
//! `X <- a X + b (X Xᵀ) X + c (X Xᵀ)² X`, which maps each singular value `s` to `a s + b s³ + c s⁵` and leaves the singular
//! vectors unchanged.

use crate::parameter::ParameterShape;
use ndarray::Array2;

/// Jordan's coefficients: in five rounds, singular values from 0.001 on approach 1 and then stay between 0.68 and 1.13.
const COEFFICIENTS: [f32; 3] = [3.4445, -4.7750, 2.0315];

/// Number of rounds of the iteration, as in Jordan's implementation.
const ROUNDS: usize = 5;

/// Entries below this in a matrix of norm 1 are set to zero: products of such numbers are denormal, and processors
/// compute slowly with denormals.
const NEGLIGIBLE: f32 = 1e-15;

/// Added to the norm of a matrix, so that a matrix of zeros stays zero.
const SMALLEST: f32 = 1e-7;

/// The matrix of a parameter, in row-major order, with its singular values brought close to 1.
///
/// All rounds operate on the product of the matrix with its transpose along the shorter side. All factors commute with this
/// product, so they multiply to one small matrix, which is applied once.
pub(super) fn orthogonalised(matrix: &[f32], shape: &ParameterShape) -> Vec<f32> {
    let length = matrix.iter().map(|value| value * value).sum::<f32>().sqrt() + SMALLEST;
    let size = (shape.rows, shape.columns);
    let matrix = Array2::from_shape_fn(size, |(row, column)| {
        let value = matrix[row * shape.columns + column] / length;
        if value.abs() < NEGLIGIBLE { 0.0 } else { value }
    });
    let is_tall = shape.rows > shape.columns;
    let mut product = if is_tall { matrix.t().dot(&matrix) } else { matrix.dot(&matrix.t()) };
    let mut round = round_on(&product);
    let mut factor = round.clone();
    for _ in 1..ROUNDS {
        product = round.dot(&product).dot(&round);
        round = round_on(&product);
        factor = round.dot(&factor);
    }
    let matrix = if is_tall { matrix.dot(&factor) } else { factor.dot(&matrix) };
    matrix.iter().copied().collect()
}

/// The factor of a round for a matrix whose product with its transpose is P: `a + b P + c P²`.
fn round_on(product: &Array2<f32>) -> Array2<f32> {
    let [a, b, c] = COEFFICIENTS;
    let mut round = product.dot(product) * c + product * b;
    round.diag_mut().mapv_inplace(|value| value + a);
    round
}

/// Scale of a step that makes its elements as large as AdamW's usually are, so that one learning rate serves both: 0.2
/// times the square root of the longer side (Liu et al. 2025, arXiv 2502.16982, section 2.2).
pub(super) fn scale(shape: &ParameterShape) -> f32 {
    0.2 * (shape.rows.max(shape.columns) as f32).sqrt()
}

#[cfg(test)]
mod tests;
