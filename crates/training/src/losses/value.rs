//! Losses of the value head.

use chess::Wdl;
use network::{ValueKind, probabilities::PositionValue};
use serde::{Deserialize, Serialize};

use super::policy::{cross_entropy, total_weight};

/// The distance of a predicted value from its target. All except the first compare a single number: the expected
/// result, win - loss, from -1 to 1, or pawns for value heads of kind `pawns`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum ValueLoss {
    /// Cross-entropy of win, draw and loss.
    CrossEntropy,
    Squared,
    /// Half the squared error up to `delta`, linear beyond (Huber 1964; smooth L1 with `delta` 1).
    Huber {
        /// Error at which the loss becomes linear, above 0 to 100.
        delta: f32,
    },
    Absolute,
}

impl ValueLoss {
    pub(crate) fn of(self, predicted: PositionValue, target: PositionValue) -> f64 {
        if self == Self::CrossEntropy {
            let (predicted, target) = (predicted.wdl, target.wdl);
            return surprise(predicted.win, target.win)
                + surprise(predicted.draw, target.draw)
                + surprise(predicted.loss, target.loss);
        }
        f64::from(self.of_error(predicted.number - target.number).0)
    }

    /// The loss for a difference of two numbers, and its derivative.
    fn of_error(self, error: f32) -> (f32, f32) {
        match self {
            Self::CrossEntropy | Self::Squared => (error * error, 2.0 * error),
            Self::Huber { delta } if error.abs() <= delta => (0.5 * error * error, error),
            Self::Huber { delta } => (delta * (error.abs() - 0.5 * delta), delta * error.signum()),
            Self::Absolute => (error.abs(), if error == 0.0 { 0.0 } else { error.signum() }),
        }
    }
}

/// One outcome's term of a cross-entropy, finite even for an outcome to which the network gives no probability.
fn surprise(predicted: f32, target: f32) -> f64 {
    -f64::from(target) * f64::from(predicted.max(1e-9)).ln()
}

/// Divisor of a value loss: the total weight of the samples that have a target, as in [`total_weight`].
pub(crate) fn labelled_weight(targets: &[Option<PositionValue>], weights: &[f32]) -> f32 {
    let labelled = targets.iter().zip(weights).filter(|(target, _)| target.is_some());
    total_weight(labelled.map(|(_, weight)| *weight))
}

/// Weighted mean of the value's loss over the labelled samples, and its gradient with respect to the head's outputs;
/// both are absent without a value head.
///
/// # Shapes
/// outputs `[boards][kind.outputs()]`, weights `[boards]`.
pub(crate) fn value_loss(
    kind: ValueKind,
    loss: ValueLoss,
    outputs: &[f32],
    targets: &[Option<PositionValue>],
    weights: &[f32],
) -> (f32, Vec<f32>) {
    if kind == ValueKind::None {
        return (0.0, Vec::new());
    }
    let total = labelled_weight(targets, weights);
    let (mut sum, mut gradient) = (0.0, vec![0.0; outputs.len()]);
    let rows = outputs.chunks_exact(kind.outputs()).zip(gradient.chunks_exact_mut(kind.outputs()));
    for (board, (output, gradient)) in rows.enumerate() {
        let Some(target) = targets[board] else { continue };
        let weight = weights[board];
        let mut factor = weight;
        if (kind, loss) == (ValueKind::Wdl, ValueLoss::CrossEntropy) {
            let Wdl { win, draw, loss } = target.wdl;
            sum += f64::from(weight) * cross_entropy(output, &[win, draw, loss], gradient);
        } else {
            let predicted = PositionValue::of(kind, output);
            let (term, slope) = loss.of_error(predicted.number - target.number);
            sum += f64::from(weight) * f64::from(term);
            slopes(kind, predicted, gradient);
            factor *= slope;
        }
        for gradient in gradient {
            *gradient = *gradient * factor / total;
        }
    }
    ((sum / f64::from(total)) as f32, gradient)
}

/// The derivatives of a prediction's number with respect to the head's outputs.
fn slopes(kind: ValueKind, predicted: PositionValue, slopes: &mut [f32]) {
    let PositionValue { wdl: Wdl { win, draw, loss }, number } = predicted;
    match kind {
        // d(win - loss) / d logit = probability * (the outcome's own value - the expected value).
        ValueKind::Wdl => {
            slopes[0] = win * (1.0 - number);
            slopes[1] = draw * (0.0 - number);
            slopes[2] = loss * (-1.0 - number);
        }
        ValueKind::Scalar => slopes[0] = 1.0 - number * number,
        ValueKind::Pawns { limit, squash: true } => slopes[0] = limit - number * number / limit,
        ValueKind::Pawns { squash: false, .. } => slopes[0] = 1.0,
        ValueKind::None => {}
    }
}
