//! Linear models: lasso, and support vector regression without a kernel.

use network::{NetworkError, container::Matrix};
use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use smartcore::{
    linalg::basic::{arrays::Array as _, matrix::DenseMatrix},
    linear::lasso::{Lasso, LassoParameters},
};

use super::{Model, Parts};
use crate::examples::Examples;

pub(super) const KIND: &str = "line";

/// A weighted sum of features.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    weights: Vec<f32>,
    bias: f32,
}

impl Model for Line {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn predict(&self, row: &[f32]) -> f32 {
        self.bias + self.weights.iter().zip(row).map(|(weight, value)| weight * value).sum::<f32>()
    }

    fn matrices(&self) -> Vec<Matrix> {
        vec![
            Matrix { name: "weights".into(), shape: [1, self.weights.len()], values: self.weights.clone() },
            Matrix { name: "bias".into(), shape: [1, 1], values: vec![self.bias] },
        ]
    }
}

pub(super) fn read(parts: &mut Parts<'_>, features: usize) -> Result<Box<dyn Model>, NetworkError> {
    let weights = parts.take("weights", features)?;
    if weights.len() != features {
        return Err(parts.wrong("weights", format!("{} numbers", weights.len()), &format!("{features}")));
    }
    match parts.take("bias", 1)?[..] {
        [bias] => Ok(Box::new(Line { weights, bias })),
        ref other => Err(parts.wrong("bias", format!("{} numbers", other.len()), "one")),
    }
}

/// The linear model that minimises the mean squared error plus `alpha` times the sum of absolute weights. Features are not
/// rescaled, because all have the same unit, pieces. They are centred here, because the library uses the mean label as the
/// bias.
pub(super) fn lasso(examples: &Examples, alpha: f64) -> Result<Line, String> {
    let count = examples.rows.len() as f64;
    let mut means = vec![0.0_f64; examples.features()];
    for row in &examples.rows {
        for (mean, value) in means.iter_mut().zip(row) {
            *mean += f64::from(*value) / count;
        }
    }
    let centred =
        |row: &Vec<f32>| row.iter().zip(&means).map(|(value, mean)| f64::from(*value) - mean).collect();
    let rows: Vec<Vec<f64>> = examples.rows.iter().map(centred).collect();
    let rows = DenseMatrix::from_2d_vec(&rows).map_err(|error| error.to_string())?;
    let pawns: Vec<f64> = examples.pawns.iter().copied().map(f64::from).collect();
    let parameters = LassoParameters::default().with_alpha(alpha).with_normalize(false);
    let fitted = Lasso::fit(&rows, &pawns, parameters).map_err(|error| error.to_string())?;
    let weights: Vec<f64> =
        (0..examples.features()).map(|feature| *fitted.coefficients().get((feature, 0))).collect();
    let shift: f64 = weights.iter().zip(&means).map(|(weight, mean)| weight * mean).sum();
    let bias = (pawns.iter().sum::<f64>() / count - shift) as f32;
    Ok(Line { weights: weights.into_iter().map(|weight| weight as f32).collect(), bias })
}

/// Objective and stopping rule of support vector regression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margin {
    /// Errors up to this many pawns cost nothing.
    pub(super) epsilon: f64,
    /// Weight of the squared errors beyond epsilon.
    pub(super) cost: f64,
    /// Largest number of passes over the samples.
    pub(super) passes: usize,
    /// Seed of the samples' order.
    pub(super) seed: u64,
}

/// Fraction of the first pass's violation at which a solution is good enough.
const TOLERANCE: f64 = 1e-3;

/// The weights w, the last one the bias, that minimise |w|^2 / 2 + cost * sum of max(|w x - y| - epsilon, 0)^2, by coordinate descent
/// on the dual (Ho and Lin, "Large-scale linear support vector regression", 2012, algorithm 4), as in scikit-learn's
/// `LinearSVR`, which Knights and Kernels used. Libraries in Rust solve the problem with kernels, whose time and memory grow
/// with the square of the number of samples.
pub(super) fn support_vector_regression(examples: &Examples, margin: Margin) -> Line {
    let diagonal = 0.5 / margin.cost;
    let features = examples.features();
    let mut weights = vec![0.0_f64; features + 1];
    let mut duals = vec![0.0_f64; examples.pawns.len()];
    let squares: Vec<f64> = examples.rows.iter().map(|row| dot(row, row) + 1.0 + diagonal).collect();
    let mut order: Vec<usize> = (0..duals.len()).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(margin.seed);
    let mut at_first = None;
    for _ in 0..margin.passes {
        order.shuffle(&mut random);
        let mut violation = 0.0;
        for &sample in &order {
            let (row, dual) = (&examples.rows[sample], duals[sample]);
            let predicted =
                weights[features] + row.iter().zip(&weights).map(|(x, w)| f64::from(*x) * w).sum::<f64>();
            let gradient = predicted - f64::from(examples.pawns[sample]) + diagonal * dual;
            violation += violated(gradient, dual, margin.epsilon);
            let step = newton_step(gradient, dual, margin.epsilon, squares[sample]);
            duals[sample] += step;
            for (weight, value) in weights.iter_mut().zip(row) {
                *weight += step * f64::from(*value);
            }
            weights[features] += step;
        }
        if violation <= TOLERANCE * *at_first.get_or_insert(violation) {
            break;
        }
    }
    let bias = weights.pop().expect("the bias comes after the features") as f32;
    Line { weights: weights.into_iter().map(|weight| weight as f32).collect(), bias }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

/// Distance of one dual variable from its optimum (Ho and Lin, equation 28, without an upper bound).
fn violated(gradient: f64, dual: f64, epsilon: f64) -> f64 {
    if dual > 0.0 {
        (gradient + epsilon).abs()
    } else if dual < 0.0 {
        (gradient - epsilon).abs()
    } else {
        (-gradient - epsilon).max(gradient - epsilon).max(0.0)
    }
}

/// The change of one dual variable that minimises the dual (Ho and Lin, equation 22).
fn newton_step(gradient: f64, dual: f64, epsilon: f64, square: f64) -> f64 {
    if gradient + epsilon < square * dual {
        -(gradient + epsilon) / square
    } else if gradient - epsilon > square * dual {
        -(gradient - epsilon) / square
    } else {
        -dual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::tests::made_up;

    fn line(row: &[f32]) -> f32 {
        0.5 * row[0] - 1.5 * row[2] + 0.75
    }

    #[test]
    fn the_gradient_vanishes_where_support_vector_regression_ends() {
        let examples = made_up(300, 4, |row| line(row) + 0.3 * row[1] * row[3]);
        for (epsilon, cost) in [(0.0, 1.0), (0.0, 0.01), (0.5, 1.0)] {
            let margin = Margin { epsilon, cost, passes: 10_000, seed: 1 };
            let found = support_vector_regression(&examples, margin);
            let parameters = found.weights.iter().copied().chain([found.bias]);
            for (number, parameter) in parameters.enumerate() {
                let slope = |(row, pawns): (&Vec<f32>, &f32)| {
                    let row: &[f32] = row;
                    let error = f64::from(found.predict(row) - pawns);
                    let value = f64::from(row.get(number).copied().unwrap_or(1.0));
                    2.0 * cost * (error.abs() - epsilon).max(0.0) * error.signum() * value
                };
                let parts: Vec<f64> = examples.rows.iter().zip(&examples.pawns).map(slope).collect();
                let (gradient, size) =
                    (parts.iter().sum::<f64>(), parts.iter().map(|part| part.abs()).sum::<f64>());
                assert!(
                    (f64::from(parameter) + gradient).abs() < 2e-3 * size,
                    "{number}: {gradient} of {size}"
                );
            }
        }
    }

    #[test]
    fn lines_are_found_again() {
        let examples = made_up(300, 4, line);
        let margin = Margin { epsilon: 0.0, cost: 100.0, passes: 1000, seed: 1 };
        for found in [support_vector_regression(&examples, margin), lasso(&examples, 1e-4).unwrap()] {
            for row in &examples.rows {
                assert!((found.predict(row) - line(row)).abs() < 0.01, "{found:?}");
            }
        }
    }

    #[test]
    fn a_heavy_penalty_leaves_a_constant() {
        let examples = made_up(300, 4, line);
        let found = lasso(&examples, 1000.0).unwrap();
        let mean = examples.pawns.iter().sum::<f32>() / 300.0;
        assert!(found.weights.iter().all(|weight| weight.abs() < 1e-3), "{found:?}");
        assert!((found.predict(&[0.0; 4]) - mean).abs() < 0.01, "{found:?} {mean}");
    }
}
