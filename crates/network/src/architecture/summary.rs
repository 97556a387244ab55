//! The layers of a network as rows of a table, for people.

use serde::Serialize;

use super::{Architecture, PlaneArchitecture};
use crate::{parameter::ParameterShape, planes::layers::Layer};

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

impl Architecture {
    /// The layers in the order of computation, with the parameters of each; together they have all parameters of the network.
    pub fn layers(&self) -> Vec<LayerRow> {
        self.layout.layers()
    }
}

impl PlaneArchitecture {
    pub(crate) fn layer_rows(&self) -> Vec<LayerRow> {
        let count = |parameters: &[ParameterShape]| parameters.iter().map(size).sum();
        let row = |layer: &Layer| LayerRow {
            name: layer.name.clone(),
            layer: layer.operation.describe(),
            shape: layer.shape.to_string(),
            parameters: count(&self.list.parameters[layer.parameters.clone()]),
        };
        self.list.layers.iter().map(row).collect()
    }
}

/// A row for each matrix, to which the bias that follows it belongs.
pub(crate) fn of_matrices(parameters: &[ParameterShape]) -> Vec<LayerRow> {
    let mut rows: Vec<LayerRow> = Vec::new();
    for parameter in parameters {
        let name =
            parameter.name.rsplit_once('.').map_or(parameter.name.as_str(), |(layer, kind)| match kind {
                "weight" | "bias" => layer,
                _ => &parameter.name,
            });
        match rows.last_mut().filter(|row| row.name == name) {
            Some(row) => row.parameters += size(parameter),
            None => rows.push(LayerRow {
                name: name.to_owned(),
                layer: if parameter.is_table() { "rows that are added up" } else { "fully connected" }
                    .to_owned(),
                shape: format!("{} x {}", parameter.rows, parameter.columns),
                parameters: size(parameter),
            }),
        }
    }
    rows
}

fn size(parameter: &ParameterShape) -> usize {
    parameter.rows * parameter.columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

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
