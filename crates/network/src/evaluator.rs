//! Opens a trained network as an [`Evaluator`] with the implementation that can compute it.

mod viewed;

use std::{path::Path, sync::Arc};

use chess::Evaluator;

use crate::{
    CpuNetwork, CpuOptions, NetworkError, Spec, Weights, cpu::LayersEvaluator, sparse::SparseEvaluator,
};

/// Opens a weights file for play, in this program's format or lc0's.
///
/// # Errors
/// As [`Weights::read`] and [`CpuNetwork::new`].
pub fn open(path: &Path, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::read(path)?, options)
}

/// Opens the bytes of a weights file for play, such as the network that is built into the program.
///
/// # Errors
/// As [`Weights::from_bytes`] and [`CpuNetwork::new`].
pub fn from_bytes(bytes: &[u8], options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::from_bytes(bytes, "built-in network")?, options)
}

/// A network for play, from its weights.
///
/// # Errors
/// As [`CpuNetwork::new`].
pub fn from_weights(weights: &Weights, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    match &weights.spec {
        Spec::Planes(spec) => Ok(viewed::for_the_mover(spec.input_encoding()?, of_planes(weights, options)?)),
        Spec::Sparse(_) => Ok(Arc::new(SparseEvaluator::from_weights(weights, options)?)),
    }
}

fn of_planes(weights: &Weights, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    match weights.refused_by_kernels()? {
        None => Ok(Arc::new(CpuNetwork::from_weights(weights, options)?)),
        Some(reason) => Ok(Arc::new(LayersEvaluator::new(weights, &reason, options)?)),
    }
}

#[cfg(test)]
mod tests;
