//! Dead units of hidden layers: they have stopped learning.

use network::architecture::Architecture;
use serde::{Deserialize, Serialize};

use super::OptimiserState;

/// A unit whose average gradient is smaller than this share of the largest of all hidden layers has had none for hundreds of steps.
const NOTHING: f32 = 1e-9;

/// Units of a hidden layer that no gradient reaches: ReLUs that are zero for every position, and stay so ("dying ReLUs"; Sokar et al.
/// 2023, arXiv 2302.12902, call them dormant). A learning rate that is too high for the layer makes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadUnits {
    /// Path of the layer: `value.hidden`.
    pub layer: String,
    /// Number of units without a gradient.
    #[serde(rename = "idle")]
    pub dead: usize,
    /// All units of the layer.
    pub units: usize,
}

impl OptimiserState {
    /// The layers that have dead units, in their order.
    pub(crate) fn dead_units(&self, architecture: &Architecture) -> Vec<DeadUnits> {
        let layers =
            || architecture.parameters().iter().zip(&self.first).filter(|(shape, _)| shape.is_hidden());
        // Of all layers, so that one whose units are all dead is found too.
        let sizes = layers().flat_map(|(_, average)| average).map(|value| value.abs());
        let limit = NOTHING * sizes.fold(0.0, f32::max);
        let counted = layers().map(|(shape, average)| {
            let mut largest = vec![0.0_f32; shape.columns];
            for row in average.chunks_exact(shape.columns) {
                for (largest, value) in largest.iter_mut().zip(row) {
                    *largest = largest.max(value.abs());
                }
            }
            let layer = shape.name.trim_end_matches(".weight").to_owned();
            DeadUnits {
                layer,
                dead: largest.iter().filter(|&&value| value < limit).count(),
                units: shape.columns,
            }
        });
        counted.filter(|units| units.dead > 0).collect()
    }
}
