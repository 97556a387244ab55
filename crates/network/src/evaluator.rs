//! A trained network as an [`Evaluator`]: which implementation computes it.

use std::{path::Path, sync::Arc};

use chess::{Evaluator, Wdl};

use crate::{
    CpuNetwork, CpuOptions, NetworkError, Weights,
    device::{Device, DeviceKind},
    spec::ValueKind,
};

/// Opens a weights file, ours or lc0's, for play.
///
/// # Errors
/// As [`Weights::read`] and [`CpuNetwork::new`].
pub fn open(path: &Path, device: &Device, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::read(path)?, device, options)
}

/// Opens the bytes of a weights file for play: the network that is built into the program.
///
/// # Errors
/// As [`Weights::from_bytes`] and [`CpuNetwork::new`].
pub fn from_bytes(
    bytes: &[u8],
    device: &Device,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::from_bytes(bytes, "built-in network")?, device, options)
}

fn from_weights(
    weights: &Weights,
    device: &Device,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    #[cfg(feature = "burn")]
    if device.burn.is_some() {
        return Ok(Arc::new(crate::on_burn::NetworkEvaluator::new(weights, device)?));
    }
    // Without Burn the CPU is the only device.
    debug_assert_eq!(device.kind(), DeviceKind::Cpu);
    Ok(Arc::new(CpuNetwork::from_weights(weights, options)?))
}

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

#[cfg(test)]
mod tests;
