//! Network specification, weights, forward passes, losses and training.

mod architecture;
pub mod container;
mod cpu;
mod device;
mod device_passes;
mod error;
mod evaluator;
mod initialisation;
pub mod layers;
pub mod lc0;
mod learner;
mod losses;
mod on_burn;
pub mod onnx;
mod optimiser;
mod outputs;
mod passes;
mod plain_tower;
mod policy_map;
mod provenance;
mod recipe;
pub mod reference;
mod schedule;
mod spec;
#[cfg(test)]
mod synthetic;
mod targets;
pub mod train;
mod weights;

pub use container::write as write_file;
pub use cpu::{Agreement, CpuNetwork, CpuOptions, Speed, agreement, calibrate, measure_speed};
pub use dataset::EvaluationCurve;
pub use device::{DEVICES, Device, DeviceKind};
pub use error::NetworkError;
pub use evaluator::{from_bytes, open};
pub use kernels::{Isa, Precision};
pub use learner::{Learner, StepReport};
pub use losses::{LossConfig, ValueLoss};
pub use optimiser::{OptimiserConfig, OptimiserKind};
pub use plain_tower::PlainTower;
pub use provenance::{Provenance, Source};
pub use recipe::{Difference, MAX_THREADS, Recipe, TrainingConfig, TrainingPrecision};
pub use schedule::Schedule;
pub use spec::{
    Activation, Body, HeadBody, MovesLeftHead, PolicyHead, Spec, SqueezeExcite, Stem, Tower, ValueHead,
    ValueKind,
};
pub use targets::{MatePawns, ValueLabel, ValueTarget};
pub use weights::{ActivationRanges, Weights};
