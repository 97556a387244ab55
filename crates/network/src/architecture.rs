//! The architecture of a network: its parameters and, for each kind of network, their use.

use std::{any::Any, sync::Arc};

use rand::{RngExt as _, SeedableRng as _};
use rand_distr::{Distribution as _, Normal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use crate::{
    NetworkError, OptimiserConfig, kind,
    parameter::{Gain, OUTPUT_SCALE, ParameterShape, Role, StatisticsShape},
    passes::{Forward, Parameters},
    spec::Spec,
    trainable::Trainable,
};

pub(crate) use crate::planes::layout::lay_out;
pub use crate::planes::layout::{Normalisation, PlaneArchitecture};
pub use crate::sparse::layout::{Pair, SparseArchitecture};

/// A specification with its layers and parameters laid out.
#[derive(Clone, Debug)]
pub struct Architecture {
    spec: Spec,
    layout: Arc<dyn kind::Layout>,
}

impl Architecture {
    /// Lays out a specification.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn new(spec: &Spec) -> Result<Self, NetworkError> {
        Ok(Self { spec: spec.clone(), layout: spec.kind().lay_out()? })
    }

    /// The specification that was laid out.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The layout of a network of planes, for code that accepts no other kind.
    ///
    /// # Errors
    /// As [`Spec::planes`].
    pub fn planes(&self) -> Result<&PlaneArchitecture, NetworkError> {
        self.of_kind("a network that reads planes")
    }

    /// The layout of a sparse network, for code that accepts no other kind.
    ///
    /// # Errors
    /// As [`Spec::sparse`].
    pub fn sparse(&self) -> Result<&SparseArchitecture, NetworkError> {
        self.of_kind("a sparse network")
    }

    fn of_kind<L: Any>(&self, expected: &'static str) -> Result<&L, NetworkError> {
        // Code for one kind asks for its layout by type, so a further kind adds no arm here.
        let layout: &dyn Any = self.layout.as_ref();
        layout.downcast_ref().ok_or_else(|| self.spec.other_kind(expected))
    }

    /// Name and shape of every parameter, in the order of [`Parameters`].
    pub fn parameters(&self) -> &[ParameterShape] {
        self.layout.parameters()
    }

    /// The network in training, before its first step.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if the machine lacks the instruction set that `TABIYA_ISA` names.
    pub fn trainable(
        &self,
        parameters: Parameters,
        optimiser: OptimiserConfig,
    ) -> Result<Box<dyn Trainable>, NetworkError> {
        self.layout.trainable(parameters, optimiser)
    }

    /// The forward pass of training, in 32-bit floats.
    ///
    /// # Errors
    /// As [`Architecture::trainable`].
    pub fn forward(&self) -> Result<Box<dyn Forward>, NetworkError> {
        self.layout.forward()
    }

    /// Name and number of channels of every normalisation.
    pub(crate) fn statistics(&self) -> &[StatisticsShape] {
        self.layout.statistics()
    }

    /// Every batch normalisation, in the order of the layers.
    pub fn normalisations(&self) -> Vec<Normalisation> {
        self.layout.normalisations()
    }

    /// Number of the policy's outputs that belong to a move; `None` if it scores legal moves only.
    pub fn moves(&self) -> Option<usize> {
        self.layout.moves()
    }

    /// The layers in the order of computation, with the parameters of each; together they have all parameters of the network.
    pub fn layers(&self) -> Vec<LayerRow> {
        self.layout.layers()
    }
}

impl Spec {
    /// Number of trained parameters, including those of normalisations but not running statistics.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn parameter_count(&self) -> Result<usize, NetworkError> {
        let architecture = Architecture::new(self)?;
        Ok(architecture.parameters().iter().map(ParameterShape::size).sum())
    }
}

/// A layer in a table: Keras calls the table a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct LayerRow {
    /// Its path in the recipe, such as `body.3`, which begins the names of its matrices.
    pub name: String,
    pub layer: String,
    /// The shape of its output for one position; in a sparse network, the shape of its matrix.
    pub shape: String,
    pub parameters: usize,
}

/// A row for each matrix, to which the bias that follows it belongs.
pub(crate) fn of_matrices(parameters: &[ParameterShape]) -> Vec<LayerRow> {
    let mut rows: Vec<LayerRow> = Vec::new();
    for parameter in parameters {
        let name = match parameter.name.rsplit_once('.') {
            Some((layer, "weight" | "bias")) => layer,
            _ => &parameter.name,
        };
        if let Some(row) = rows.last_mut().filter(|row| row.name == name) {
            row.parameters += parameter.size();
            continue;
        }
        let layer = if parameter.is_table() { "rows that are added up" } else { "fully connected" };
        rows.push(LayerRow {
            name: name.to_owned(),
            layer: layer.to_owned(),
            shape: format!("{} x {}", parameter.rows, parameter.columns),
            parameters: parameter.size(),
        });
    }
    rows
}

impl Architecture {
    /// Random parameters: He initialisation for weights, ones for scales, zeros for biases. The tables of sparse networks are
    /// uniform, and biases of sums that are clipped at zero start above zero.
    ///
    /// # Errors
    /// [`NetworkError::Pass`] if a standard deviation is not finite, which no valid specification is known to
    /// cause.
    pub fn initial_parameters(&self, seed: u64) -> Result<Parameters, NetworkError> {
        // One generator for all parameters in their order: the networks of a seed stay the same as long as neither the order
        // nor the roles change, and a recipe with its seed is enough to train a network again.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut parameters = Parameters::new();
        for shape in self.parameters() {
            let count = shape.size();
            parameters.push(match shape.role {
                Role::Scale | Role::Factor => vec![1.0; count],
                Role::Bias => vec![0.0; count],
                Role::Raised(start) => vec![start; count],
                Role::Uniform(reach) | Role::Table(reach) => {
                    (0..count).map(|_| reach * random.random_range(-1.0..1.0_f32)).collect()
                }
                Role::Weight { gain } => {
                    let factor = if gain == Gain::Output { OUTPUT_SCALE } else { 1.0 };
                    let deviation = factor * (2.0 / shape.rows as f32).sqrt();
                    let normal = Normal::new(0.0_f32, deviation)
                        .map_err(|error| NetworkError::Pass(format!("initial weights: {error}")))?;
                    (0..count).map(|_| normal.sample(&mut random)).collect()
                }
            });
        }
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;

    #[test]
    fn the_seed_decides_the_initial_weights() {
        let architecture = Architecture::new(&synthetic::tiny_spec()).unwrap();
        let weights = |seed: u64| architecture.initial_parameters(seed).unwrap();
        assert_eq!(weights(1), weights(1));
        assert_ne!(weights(1), weights(2));
    }

    fn table(text: &str) -> (Vec<LayerRow>, usize) {
        let spec = Spec::from_toml(text).unwrap();
        (Architecture::new(&spec).unwrap().layers(), spec.parameter_count().unwrap())
    }

    #[test]
    fn the_rows_have_all_parameters_of_the_network() {
        let (rows, parameters) = table("blocks = 1\nchannels = 16\nsqueeze_excite = { ratio = 4 }");
        assert_eq!(rows.iter().map(|row| row.parameters).sum::<usize>(), parameters);
        let first = &rows[0];
        assert!(first.layer.starts_with("convolution 3x3"), "{first:?}");
        assert_eq!(first.shape, "16 channels of 8x8 squares");

        let (rows, parameters) = table("kind = \"sparse\"\nfeatures = \"pieces\"\nwidth = 64\nhidden = [8]");
        assert_eq!(rows.iter().map(|row| row.parameters).sum::<usize>(), parameters);
        assert_eq!(
            (rows[0].name.as_str(), rows[0].layer.as_str()),
            ("value.table", "rows that are added up")
        );
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert!(names.contains(&"value.layer0") && names.contains(&"policy.moves"), "{names:?}");
    }
}
