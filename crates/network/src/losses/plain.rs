//! The losses and their gradients in plain numbers.

use chess::Wdl;

use crate::spec::ValueKind;

/// Mean over the samples of -sum(target * log softmax(logits)), and its gradient with respect to the logits.
///
/// # Shapes
/// Logits and targets of all samples one after another; sample i has those from `offsets[i]` to `offsets[i + 1]`.
pub(crate) fn policy(logits: &[f32], targets: &[f32], offsets: &[u32]) -> (f32, Vec<f32>) {
    let samples = (offsets.len() - 1) as f32;
    let (mut loss, mut gradient) = (0.0, vec![0.0; logits.len()]);
    for pair in offsets.windows(2) {
        let moves = pair[0] as usize..pair[1] as usize;
        loss += cross_entropy(&logits[moves.clone()], &targets[moves.clone()], &mut gradient[moves]);
    }
    for value in &mut gradient {
        *value /= samples;
    }
    ((loss / f64::from(samples)) as f32, gradient)
}

/// Mean over the labelled samples of the value's loss, and its gradient: cross-entropy of win, draw and loss, or
/// (tanh(output) - (win - loss)) squared.
///
/// # Shapes
/// outputs `[boards][3 | 1]`.
pub(crate) fn value(kind: ValueKind, outputs: &[f32], targets: &[Option<Wdl>]) -> (f32, Vec<f32>) {
    let labelled = targets.iter().flatten().count().max(1) as f32;
    let (mut loss, mut gradient) = (0.0, vec![0.0; outputs.len()]);
    let rows = outputs.chunks_exact(kind.outputs()).zip(gradient.chunks_exact_mut(kind.outputs()));
    for ((output, gradient), target) in rows.zip(targets) {
        let Some(target) = target else { continue };
        match kind {
            ValueKind::Wdl => {
                loss += cross_entropy(output, &[target.win, target.draw, target.loss], gradient);
            }
            ValueKind::Scalar => {
                let value = output[0].tanh();
                let error = value - target.value();
                loss += f64::from(error * error);
                gradient[0] = 2.0 * error * (1.0 - value * value);
            }
        }
    }
    for value in &mut gradient {
        *value /= labelled;
    }
    ((loss / f64::from(labelled)) as f32, gradient)
}

/// -sum(target * log softmax(logits)); the gradient is softmax(logits) * sum(target) - target.
fn cross_entropy(logits: &[f32], targets: &[f32], gradient: &mut [f32]) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (power, logit) in gradient.iter_mut().zip(logits) {
        *power = (logit - largest).exp();
    }
    let sum: f32 = gradient.iter().sum();
    let total: f32 = targets.iter().sum();
    let mut loss = 0.0;
    for ((value, logit), target) in gradient.iter_mut().zip(logits).zip(targets) {
        loss -= f64::from(target * (logit - largest - sum.ln()));
        *value = *value / sum * total - target;
    }
    loss
}
