//! A trained network as an [`Evaluator`]: which implementation computes it.

mod viewed;

use std::{path::Path, sync::Arc};

use chess::Evaluator;

use crate::{
    CpuNetwork, CpuOptions, NetworkError, Weights,
    device::{Device, DeviceKind},
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
    Ok(viewed::for_the_mover(weights.spec.input_encoding()?, on_device(weights, device, options)?))
}

fn on_device(
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

#[cfg(test)]
mod tests;
