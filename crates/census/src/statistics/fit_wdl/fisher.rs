//! Maximum likelihood by Fisher scoring: steps of the inverse expected information times the score (C. R. Rao, Linear
//! Statistical Inference, 5g), halved until they improve.

use chess::Score;
use dataset::{EvaluationCurve, Stage, evaluation::material_share};

/// Below this a probability is counted as this.
pub(super) const LEAST_PROBABILITY: f64 = 1e-9;

/// Largest win probability, as in [`dataset::EvaluationCurve::Logistic`].
const LARGEST: f64 = 0.995;

/// Constants of the middle and of the width, by powers of the material's share.
pub(super) type Constants = [[f64; 4]; 2];

/// Samples of one evaluation and material.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) material: u8,
    pub(super) centipawns: i32,
    pub(super) counts: [u64; 3],
}

impl Cell {
    /// Argument of the polynomials.
    fn share(&self) -> f64 {
        f64::from(material_share(self.material))
    }

    pub(super) fn probabilities(&self, curve: EvaluationCurve) -> [f64; 3] {
        let stage = Stage { ply: 0, material: self.material };
        let wdl = curve.wdl(Score::Centipawns(self.centipawns), stage);
        [wdl.win, wdl.draw, wdl.loss].map(f64::from)
    }
}

const UNKNOWNS: usize = 8;
/// Steps after which the constants found so far are the result. Chosen, not tuned: a bound for fits that improve by ever less
/// and do not end by [`TOLERANCE`].
const MOST_STEPS: usize = 100;
/// A fit is done when a step improves the mean loss by less than this.
const TOLERANCE: f64 = 1e-10;
/// Ranges of the middle and of the width in centipawns.
// A middle below zero would make win and loss add up to more than one at zero centipawns, and the draw negative.
const MIDDLES: std::ops::RangeInclusive<f64> = 0.0..=1e4;
const WIDTHS: std::ops::RangeInclusive<f64> = 1.0..=1e4;

/// The likeliest constants of `powers` powers each; `None` if none within their ranges is likelier than all others.
pub(super) fn fit(cells: &[Cell], start: Constants, powers: usize) -> Option<Constants> {
    let mut constants = start;
    let mut best = loss(cells, &constants)?;
    for _ in 0..MOST_STEPS {
        let step = step(cells, &constants, powers)?;
        let mut share = 1.0;
        let (next, found) = loop {
            let next = moved(&constants, &step, share);
            match loss(cells, &next) {
                // Fisher's step is accurate only near the maximum; far from it, the step is halved until it
                // improves the loss.
                Some(found) if found <= best => break (next, found),
                _ if share < 1e-6 => return is_inside(cells, &constants).then_some(constants),
                _ => share /= 2.0,
            }
        };
        let gained = best - found;
        (constants, best) = (next, found);
        if gained < TOLERANCE {
            break;
        }
    }
    is_inside(cells, &constants).then_some(constants)
}

fn moved(constants: &Constants, step: &[f64; UNKNOWNS], share: f64) -> Constants {
    let mut next = *constants;
    for (value, change) in next.as_flattened_mut().iter_mut().zip(step) {
        *value += share * change;
    }
    next
}

fn at(polynomial: &[f64; 4], share: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, factor| sum * share + factor)
}

/// True if no cell is at the edge of the allowed range, where a diverging fit ends.
fn is_inside(cells: &[Cell], constants: &Constants) -> bool {
    cells.iter().all(|cell| at(&constants[1], cell.share()) < 0.99 * *WIDTHS.end())
}

/// Probability of a result with its derivatives by middle and width.
struct Outcome {
    probability: f64,
    derivatives: [f64; 2],
}

/// Win, draw and loss; `None` outside the ranges.
fn outcome(cell: &Cell, constants: &Constants) -> Option<[Outcome; 3]> {
    let (middle, width) = (at(&constants[0], cell.share()), at(&constants[1], cell.share()));
    if !(MIDDLES.contains(&middle) && WIDTHS.contains(&width)) {
        return None;
    }
    let centipawns = f64::from(cell.centipawns);
    let (win, loss) = (decisive(centipawns, middle, width), decisive(-centipawns, middle, width));
    // The draw is 1 minus the others, so its derivatives are the negative sum of theirs.
    let draw = Outcome {
        probability: 1.0 - win.probability - loss.probability,
        derivatives: [0, 1].map(|of| -win.derivatives[of] - loss.derivatives[of]),
    };
    Some([win, draw, loss])
}

/// A win with this many centipawns.
fn decisive(centipawns: f64, middle: f64, width: f64) -> Outcome {
    let place = (centipawns - middle) / width;
    let sigmoid = 1.0 / (1.0 + (-place).exp());
    let slope = LARGEST * sigmoid * (1.0 - sigmoid) / width;
    Outcome { probability: LARGEST * sigmoid, derivatives: [-slope, -slope * place] }
}

/// Mean cross-entropy: -ln(probability of the actual result).
fn loss(cells: &[Cell], constants: &Constants) -> Option<f64> {
    let (mut sum, mut samples) = (0.0, 0.0);
    for cell in cells {
        for (count, outcome) in cell.counts.iter().zip(outcome(cell, constants)?) {
            sum -= *count as f64 * outcome.probability.max(LEAST_PROBABILITY).ln();
            samples += *count as f64;
        }
    }
    Some(sum / samples)
}

/// Information^-1 * score.
//
// Newton's method would use the second derivatives of the likelihood, which need not be definite far from the maximum; Fisher's step uses
// their expectation under the present curve, which is positive definite wherever the samples determine the constants. Where they do not,
// the matrix is singular and there is no fit.
fn step(cells: &[Cell], constants: &Constants, powers: usize) -> Option<[f64; UNKNOWNS]> {
    let mut information = [[0.0; UNKNOWNS]; UNKNOWNS];
    let mut score = [0.0; UNKNOWNS];
    for cell in cells {
        let samples = cell.counts.iter().sum::<u64>() as f64;
        let share = cell.share();
        for (count, outcome) in cell.counts.iter().zip(outcome(cell, constants)?) {
            let probability = outcome.probability.max(LEAST_PROBABILITY);
            // By the chain rule: a coefficient moves its polynomial by its power of the share.
            let mut derivative = [0.0; UNKNOWNS];
            for (unknown, value) in derivative.iter_mut().enumerate() {
                let (polynomial, power) = (unknown / 4, unknown % 4);
                if power < powers {
                    *value = outcome.derivatives[polynomial] * share.powi(power as i32);
                }
            }
            for row in 0..UNKNOWNS {
                score[row] += *count as f64 * derivative[row] / probability;
                for column in 0..UNKNOWNS {
                    // The expected information: sum over results of probability * (derivative / probability)^2.
                    information[row][column] += samples * derivative[row] * derivative[column] / probability;
                }
            }
        }
    }
    // Powers that are not fitted are unchanged.
    for unknown in (0..UNKNOWNS).filter(|unknown| unknown % 4 >= powers) {
        information[unknown][unknown] = 1.0;
    }
    solve(information, score)
}

/// Gaussian elimination with pivots of the greatest size; `None` for a singular matrix.
fn solve(mut matrix: [[f64; UNKNOWNS]; UNKNOWNS], mut right: [f64; UNKNOWNS]) -> Option<[f64; UNKNOWNS]> {
    for column in 0..UNKNOWNS {
        let pivot = (column..UNKNOWNS)
            .max_by(|&one, &other| matrix[one][column].abs().total_cmp(&matrix[other][column].abs()))?;
        let size = matrix[pivot][column].abs();
        if size.is_nan() || size <= f64::MIN_POSITIVE {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let pivot_row = matrix[column];
        for row in column + 1..UNKNOWNS {
            let factor = matrix[row][column] / pivot_row[column];
            for (value, above) in matrix[row].iter_mut().zip(pivot_row).skip(column) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..UNKNOWNS).rev() {
        let known: f64 = (row + 1..UNKNOWNS).map(|place| matrix[row][place] * right[place]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right.iter().all(|value| value.is_finite()).then_some(right)
}
