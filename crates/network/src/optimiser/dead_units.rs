//! Dead units of hidden layers, which have stopped learning.

use serde::{Deserialize, Serialize};

use super::OptimiserState;
use crate::parameter::ParameterShape;

/// Threshold as a fraction of the largest average gradient in all hidden layers: a unit below it has had no
/// gradient for hundreds of steps.
const NOTHING: f32 = 1e-9;

/// Units of a hidden layer that receive no gradient: ReLUs that output zero for every position, permanently
/// ("dying ReLUs"; Sokar et al. 2023, arXiv 2302.12902, call them dormant). The cause is a learning rate too
/// high for the layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadUnits {
    /// Path of the layer, such as `value.hidden`.
    pub layer: String,
    /// Number of units without a gradient.
    #[serde(rename = "idle")]
    pub dead: usize,
    /// Number of all units in the layer.
    pub units: usize,
}

impl OptimiserState {
    /// The layers that have dead units, in order.
    pub(crate) fn dead_units(&self, shapes: &[ParameterShape]) -> Vec<DeadUnits> {
        let layers = || shapes.iter().zip(&self.first).filter(|(shape, _)| shape.is_hidden());
        // The largest of all layers, so that a layer whose units are all dead is also found.
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
