//! Builds a list of layers from input to output.

use std::{collections::HashMap, sync::Arc};

use super::{
    Activation, BatchNorm, Convolution, Entry, Layer, Shape, Unfit,
    operation::{NewParameter, Operation},
    shape_of,
};
use crate::{
    NetworkError,
    error::invalid,
    parameter::{ParameterShape, StatisticsShape},
};

/// Limit on the number of layers, so that a recipe that repeats blocks does not exhaust memory. Chosen, not tuned.
const MOST_LAYERS: usize = 4096;

/// The place of the extra numbers, if there are any.
const NUMBERS: usize = 1;

/// A list of layers under construction.
pub(crate) struct Builder<'a> {
    /// Name of the file, for errors.
    place: &'a str,
    /// The activation of layers that do not name one.
    pub(crate) activation: Activation,
    pub(crate) inputs: Vec<Shape>,
    pub(crate) layers: Vec<Layer>,
    pub(crate) parameters: Vec<ParameterShape>,
    pub(crate) statistics: Vec<StatisticsShape>,
    /// The place of each named layer.
    named: HashMap<String, usize>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(place: &'a str, activation: Activation, planes: usize, numbers: usize) -> Self {
        let mut inputs = vec![Shape::board(planes)];
        if numbers > 0 {
            inputs.push(Shape::flat(numbers));
        }
        Self {
            place,
            activation,
            inputs,
            layers: Vec::new(),
            parameters: Vec::new(),
            statistics: Vec::new(),
            named: HashMap::new(),
        }
    }

    pub(crate) fn shape(&self, place: usize) -> Shape {
        shape_of(&self.inputs, &self.layers, place)
    }

    /// An error about a key of `network`.
    pub(crate) fn invalid(
        &self,
        key: &str,
        found: impl std::fmt::Display,
        expected: impl Into<String>,
    ) -> NetworkError {
        invalid(self.place, &format!("network.{key}"), found, expected.into())
    }

    /// Adds a layer; returns the place of its output.
    pub(crate) fn add(
        &mut self,
        name: &str,
        operation: impl Operation + 'static,
        inputs: &[usize],
    ) -> Result<usize, NetworkError> {
        self.add_to(name, name, operation, inputs)
    }

    /// Adds a layer whose parameters are named after the layer that owns them.
    pub(crate) fn add_to(
        &mut self,
        owner: &str,
        name: &str,
        operation: impl Operation + 'static,
        inputs: &[usize],
    ) -> Result<usize, NetworkError> {
        let shapes: Vec<Shape> = inputs.iter().map(|place| self.shape(*place)).collect();
        let key = format!("{name} ({})", operation.describe());
        let fitting = operation.shape(&shapes).map_err(|expected| {
            let found: Vec<String> = shapes.iter().map(Shape::to_string).collect();
            self.invalid(&key, found.join(" and "), expected)
        })?;
        if self.layers.len() == MOST_LAYERS {
            return Err(self.invalid(&key, MOST_LAYERS + 1, format!("at most {MOST_LAYERS} layers")));
        }
        let place = self.inputs.len() + self.layers.len();
        if self.named.insert(name.into(), place).is_some() {
            return Err(self.invalid(&key, format!("{name:?}"), "a name that no other layer has"));
        }
        // Parameters are numbered in the order in which layers are added. That order is the one of weights files, checkpoints and
        // initial random numbers: a layer that is added earlier than before gives every network with it other initial weights.
        let first = self.parameters.len();
        for NewParameter { kind, role, rows, columns } in operation.parameters(&shapes) {
            self.parameters.push(ParameterShape { name: format!("{owner}.{kind}"), role, rows, columns });
        }
        let statistics = operation.statistics(&shapes).map(|channels| {
            self.statistics.push(StatisticsShape { name: format!("{owner}.moments"), channels });
            self.statistics.len() - 1
        });
        self.layers.push(Layer {
            name: name.into(),
            operation: Arc::new(operation),
            inputs: inputs.to_vec(),
            shape: fitting,
            parameters: first..self.parameters.len(),
            statistics,
        });
        Ok(place)
    }

    /// Adds a convolution and batch normalisation.
    pub(crate) fn normalised(
        &mut self,
        name: &str,
        convolution: Convolution,
        input: usize,
    ) -> Result<usize, NetworkError> {
        let sums = self.add(name, convolution, &[input])?;
        self.add_to(name, &format!("{name}.norm"), BatchNorm {}, &[sums])
    }

    /// Adds a convolution, batch normalisation and the activation.
    pub(crate) fn activated(
        &mut self,
        name: &str,
        convolution: Convolution,
        input: usize,
    ) -> Result<usize, NetworkError> {
        let normalised = self.normalised(name, convolution, input)?;
        self.add(&format!("{name}.activated"), self.activation, &[normalised])
    }

    /// Adds the layers of a list, one after another.
    pub(crate) fn sequence(
        &mut self,
        entries: &[Entry],
        parent: &str,
        input: usize,
    ) -> Result<usize, NetworkError> {
        let mut place = input;
        for (number, Entry { name: given, layer }) in entries.iter().enumerate() {
            let standard = format!("{parent}.{number}");
            if let Some(given) = given
                && !is_layer_name(given)
            {
                let expected = "1 to 64 letters, digits, hyphens and underscores";
                return Err(self.invalid(&format!("{standard}.name"), format!("{given:?}"), expected));
            }
            let name = given.clone().unwrap_or(standard);
            let kind = layer.kind();
            kind.check().map_err(|Unfit { key, found, expected }| {
                self.invalid(&format!("{name}.{key}"), found, expected)
            })?;
            place = kind.append(self, &name, place)?;
            // For a kind that consists of several layers, the name refers to the last one.
            self.named.insert(name, place);
        }
        Ok(place)
    }

    /// The place of a named layer; `asking` is the layer that refers to it in errors.
    pub(crate) fn find(&self, name: &str, asking: &str) -> Result<usize, NetworkError> {
        let place = self.named.get(name).copied();
        let key = format!("{asking}.from");
        place.ok_or_else(|| self.invalid(&key, format!("{name:?}"), "the name of an earlier layer"))
    }

    /// The place of the extra numbers; `asking` is the layer that refers to them in errors.
    pub(crate) fn numbers(&self, asking: &str) -> Result<usize, NetworkError> {
        if self.inputs.len() > NUMBERS {
            return Ok(NUMBERS);
        }
        Err(self.invalid(asking, "numbers", "network.numbers above 0, which it appends"))
    }

    /// True if a layer reads the extra numbers.
    pub(crate) fn reads_numbers(&self) -> bool {
        self.layers.iter().any(|layer| layer.inputs.contains(&NUMBERS))
    }
}

/// True for a name that a recipe may give to a layer. The names of its matrices begin with it, and a dot ends it there, so that
/// a given name never equals the path of a layer without one.
fn is_layer_name(name: &str) -> bool {
    let is_allowed = name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_".contains(&letter));
    is_allowed && (1..=64).contains(&name.len())
}
