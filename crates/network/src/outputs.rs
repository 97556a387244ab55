//! From what a network's heads put out to probabilities.

use chess::Wdl;

use crate::spec::ValueKind;

/// The value head's output as probabilities. A scalar head has no draws: its expected result is split
/// between win and loss.
pub(crate) fn wdl(kind: ValueKind, output: &[f32]) -> Wdl {
    match kind {
        ValueKind::Wdl => {
            let mut probabilities = [output[0], output[1], output[2]];
            softmax(&mut probabilities);
            let [win, draw, loss] = probabilities;
            Wdl { win, draw, loss }
        }
        ValueKind::Scalar => {
            let expected = output[0].tanh();
            Wdl { win: 0.5 + 0.5 * expected, draw: 0.0, loss: 0.5 - 0.5 * expected }
        }
    }
}

/// Logits to probabilities, in place.
pub(crate) fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
        sum += *logit;
    }
    for logit in logits.iter_mut() {
        *logit /= sum;
    }
}
