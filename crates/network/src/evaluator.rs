//! Opens a trained network as an [`Evaluator`] with the implementation that can compute it.

mod viewed;

use std::{path::Path, sync::Arc};

use chess::Evaluator;

use crate::{
    CpuNetwork, CpuOptions, NetworkError, Spec, Weights,
    cpu::LayersEvaluator,
    device::{Backend, Device, DeviceKind},
    sparse::SparseEvaluator,
};

/// Opens a weights file for play, in this program's format or lc0's.
///
/// # Errors
/// As [`Weights::read`] and [`CpuNetwork::new`].
pub fn open(path: &Path, device: &Device, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::read(path)?, device, options)
}

/// Opens the bytes of a weights file for play, such as the network that is built into the program.
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

/// A network for play, from its weights.
///
/// # Errors
/// As [`CpuNetwork::new`].
pub fn from_weights(
    weights: &Weights,
    device: &Device,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    match &weights.spec {
        Spec::Planes(spec) => {
            Ok(viewed::for_the_mover(spec.input_encoding()?, on_device(weights, device, options)?))
        }
        Spec::Sparse(_) if device.kind() == DeviceKind::Cpu => {
            Ok(Arc::new(SparseEvaluator::from_weights(weights, options)?))
        }
        Spec::Sparse(_) => Err(NetworkError::Device {
            device: device.kind().to_string(),
            reason: format!("found {}, which plays on --device cpu only", weights.spec.in_words()),
        }),
    }
}

fn on_device(
    weights: &Weights,
    device: &Device,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    match &device.backend {
        Backend::Kernels => match weights.refused_by_kernels()? {
            None => Ok(Arc::new(CpuNetwork::from_weights(weights, options)?)),
            Some(reason) => Ok(Arc::new(LayersEvaluator::new(weights, &reason, options)?)),
        },
        #[cfg(feature = "burn-cpu")]
        Backend::Burn(burn) => Ok(Arc::new(crate::on_burn::NetworkEvaluator::new(weights, burn)?)),
    }
}

#[cfg(test)]
mod tests;
