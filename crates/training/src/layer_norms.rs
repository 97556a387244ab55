//! Norms of each layer's gradient, update and weights, to find layers that have stopped learning or diverge.

use std::collections::BTreeMap;

use network::parameter::ParameterShape;
use serde::{Deserialize, Serialize};

/// L2 norms for one layer at a step, over all its matrices together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerNorms {
    /// Norm of the gradient, before clipping.
    pub gradient: f32,
    /// Norm of the change made by the step.
    pub update: f32,
    /// Norm of the parameters after the step.
    pub weights: f32,
}

/// Squared norms of each parameter, in the network's order.
pub(crate) struct Squares {
    pub(crate) gradient: Vec<f64>,
    pub(crate) update: Vec<f64>,
    pub(crate) weights: Vec<f64>,
}

impl Squares {
    /// The norms by layer: `block3.second` combines the matrix, the scale and the bias of that name.
    pub(crate) fn by_layer(&self, shapes: &[ParameterShape]) -> BTreeMap<String, LayerNorms> {
        let mut sums: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
        for (number, shape) in shapes.iter().enumerate() {
            let layer = shape.name.rsplit_once('.').map_or(shape.name.as_str(), |(layer, _)| layer);
            let sum = sums.entry(layer).or_default();
            for (sum, part) in sum.iter_mut().zip([&self.gradient, &self.update, &self.weights]) {
                *sum += part[number];
            }
        }
        let mut norms = BTreeMap::new();
        for (layer, [gradient, update, weights]) in sums {
            let [gradient, update, weights] = [length(gradient), length(update), length(weights)];
            norms.insert(layer.to_owned(), LayerNorms { gradient, update, weights });
        }
        norms
    }
}

/// The square root, clamped to a finite number, because JSON cannot represent infinity: the log of a diverged
/// run must stay readable.
fn length(squares: f64) -> f32 {
    (squares.sqrt() as f32).min(f32::MAX)
}

/// The squared Euclidean distance between two slices.
pub(crate) fn squared_distance(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(one - other).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use network::{architecture::Architecture, synthetic::tiny_spec};

    use super::*;

    #[test]
    fn the_parameters_of_a_layer_are_one_length_and_overflow_stays_a_number() {
        let architecture = Architecture::new(&tiny_spec()).unwrap();
        let shapes = architecture.parameters();
        let layer = |name: &str| name.rsplit_once('.').map_or(name.to_owned(), |(layer, _)| layer.to_owned());
        let first = layer(&shapes[0].name);
        let count = shapes.iter().filter(|shape| layer(&shape.name) == first).count();
        let squares = Squares {
            gradient: vec![4.0; shapes.len()],
            update: vec![0.0; shapes.len()],
            weights: vec![f64::INFINITY; shapes.len()],
        };
        let found = squares.by_layer(shapes);
        assert!(count > 1 && found.len() < shapes.len());
        let norms = found[&first];
        assert!((norms.gradient - 2.0 * (count as f32).sqrt()).abs() < 1e-6, "{norms:?}");
        assert_eq!((norms.update, norms.weights), (0.0, f32::MAX));
        let nan = Squares { weights: vec![f64::NAN; shapes.len()], ..squares };
        assert_eq!(nan.by_layer(shapes)[&first].weights, f32::MAX);
    }
}
