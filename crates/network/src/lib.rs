//! Networks: a specification laid out as a list of layers, the passes over them, weights files, and
//! evaluators for play; [`lc0`] and [`nnue`] read the networks of Leela Chess Zero and of Stockfish. Losses are in the `training` crate.
//!
//! ```
//! use network::{Spec, architecture::Architecture, passes::NormStatistics, synthetic};
//!
//! let spec = Spec::from_toml("blocks = 1\nchannels = 16").expect("a valid specification");
//! let architecture = Architecture::new(&spec).expect("every layer fits the one before it");
//! let parameters = architecture.initial_parameters(1).expect("finite deviations");
//! let batch = synthetic::batch(&spec, &synthetic::positions(2, 1), 1);
//! let mut passes = architecture.forward().expect("this machine computes in f32");
//! let outputs = passes.forward(&parameters, NormStatistics::Batch, &batch).expect("the batch is of the same encoding");
//! assert_eq!(outputs.logits.len(), batch.legal_indices.len());
//! ```

pub mod architecture;
pub mod blueprint;
pub mod container;
mod error;
mod evaluator;
mod kind;
pub mod onnx;
pub mod optimiser;
pub mod parameter;
pub mod passes;
pub mod planes;
pub mod probabilities;
mod provenance;
pub mod sparse;
mod spec;
pub mod synthetic;
#[cfg(test)]
mod tests;
pub mod trainable;
mod weights;

pub use container::write as write_file;
pub use error::{NetworkError, invalid};
pub use evaluator::{compiled, from_bytes, from_weights, open};
pub use kernels::{FreeList, ISAS, Isa, Operations, PRECISIONS, Precision};
pub use kind::Inputs;
pub use optimiser::{DeadUnits, OptimiserConfig, OptimiserKind};
pub use passes::TrainingPrecision;
pub use planes::evaluator::{
    Agreement, CALIBRATION_POSITIONS, CompiledNetwork, CpuNetwork, CpuOptions, Throughput, agreement,
    calibrate, encoded, measure_throughput, peak_of,
};
pub use planes::{
    layers::{self, Refusal},
    lc0,
};
pub use provenance::{Difference, Origin, Provenance, RecipeChange, Source};
pub use sparse::nnue;
pub use spec::{
    Activation, Body, Clipping, HeadBody, MovesLeftHead, PlaneSpec, PolicyHead, PolicyTable, SparseSpec,
    Spec, SqueezeExcite, Stem, Tower, ValueHead, ValueKind, default_to,
};
pub use weights::{ActivationRanges, Weights};
