//! Networks as ONNX files, for any program that runs them. The inputs and outputs are described in `docs/formats.md`.

use prost::Message as _;

use super::{
    layers::Export,
    onnx_graph::{Entry, GraphBuilder, Model, OperatorSet, Value, integer},
    policy_map::PolicyMap,
};
use crate::{
    NetworkError, Weights,
    architecture::PlaneArchitecture,
    error::syntax,
    passes::{Parameters, Statistics},
    spec::ValueKind,
};

/// Version of ONNX's operator set: that of ONNX 1.8 from 2020, which every runtime in use supports.
const OPERATORS: i64 = 13;

/// Version of the file format in the same release.
const FORMAT: i64 = 7;

/// The bytes of an ONNX file of the network.
///
/// # Errors
/// [`NetworkError::UnknownEncoding`]; [`NetworkError::Kind`] for a sparse network, because a file with fixed inputs cannot look
/// up rows; [`NetworkError::Syntax`] if the origin cannot be serialised.
pub fn to_bytes(weights: &Weights) -> Result<Vec<u8>, NetworkError> {
    let architecture = PlaneArchitecture::new(weights.spec.planes()?)?;
    let (parameters, statistics) = weights.values();
    let list = &architecture.list;
    let mut builder = GraphBuilder::default();
    let input = builder.input(
        "planes",
        &[list.inputs.iter().map(|shape| shape.channels).sum(), 8, 8],
        "the position as the side to move sees it, encoded as `input` of the metadata says; ranks from its own side",
    );
    let values = builder.layers(&architecture, &parameters, &statistics, &input);
    if let Some(place) = list.policy {
        builder.policy(&architecture.policy_map, architecture.moves, &values[place]);
        let meaning = "a logit for each index of the move encoding, legal or not";
        builder.output("policy", &[architecture.moves], meaning);
    }
    if let Some(place) = list.value {
        let kind = weights.spec.value_kind();
        builder.value(kind, &values[place]);
        if let ValueKind::Pawns { .. } = kind {
            builder.output("pawns", &[1], "evaluation in pawns for the side to move");
        } else {
            builder.output("wdl", &[3], "probabilities of win, draw and loss for the side to move");
        }
    }
    if let Some(place) = list.moves_left {
        let plies = builder.flatten("moves_left.row", &values[place]);
        builder.node("Relu", "moves_left", &[&plies]);
        builder.output("moves_left", &[1], "half-moves until the game ends");
    }
    let model = Model {
        ir_version: FORMAT,
        producer_name: "tabiya".into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        doc_string: format!("{} {}", weights.provenance.name, weights.spec.shape_name()),
        graph: Some(builder.finish(&weights.provenance.name)),
        opset_import: vec![OperatorSet { domain: String::new(), version: OPERATORS }],
        metadata_props: metadata(weights)?,
    };
    Ok(model.encode_to_vec())
}

/// The metadata: the weights file's header and the names of the encodings.
fn metadata(weights: &Weights) -> Result<Vec<Entry>, NetworkError> {
    let spec = weights.spec.planes()?;
    let provenance =
        serde_json::to_string(&weights.provenance).map_err(|error| syntax("provenance", error))?;
    let entries = [
        ("input", spec.input.clone()),
        ("moves", spec.moves.clone()),
        ("spec", weights.spec.to_toml()?),
        ("provenance", provenance),
    ];
    Ok(entries.into_iter().map(|(key, value)| Entry { key: key.into(), value }).collect())
}

impl GraphBuilder {
    /// Adds all layers; returns the values of all places.
    fn layers(
        &mut self,
        architecture: &PlaneArchitecture,
        parameters: &Parameters,
        statistics: &Statistics,
        planes: &Value,
    ) -> Vec<Value> {
        let list = &architecture.list;
        let mut values = self.inputs(architecture, planes);
        for layer in &list.layers {
            let mut export = Export {
                builder: self,
                name: &layer.name,
                inputs: layer.inputs.iter().map(|place| values[*place].clone()).collect(),
                parameters: &parameters[layer.parameters.clone()],
                shapes: list.input_shapes(layer),
                statistics: layer.statistics.map_or(&[], |place| statistics[place].as_slice()),
            };
            let output = layer.operation.onnx(&mut export);
            values.push(output);
        }
        values
    }

    /// The planes of the board, and the extra numbers, which are read from square a1 of the last planes.
    fn inputs(&mut self, architecture: &PlaneArchitecture, planes: &Value) -> Vec<Value> {
        let numbers = architecture.spec.numbers;
        if numbers == 0 {
            return vec![planes.clone()];
        }
        let on_board = architecture.list.inputs[0].channels;
        let (count, on_board) = ((on_board + numbers) as i64, on_board as i64);
        let parts = [("board", [0; 3], [on_board, 8, 8]), ("numbers", [on_board, 0, 0], [count, 1, 1])];
        let slices = parts.map(|(name, from, to)| {
            let [from, to, axes] = [("from", from), ("to", to), ("axes", [1, 2, 3])]
                .map(|(part, values)| self.integers(&format!("{name}.{part}"), values));
            self.node("Slice", name, &[planes, &from, &to, &axes])
        });
        slices.into()
    }

    /// Writes the value `policy`.
    ///
    /// # Shapes
    /// `[batch, width, 1, 1]` -> `[batch, moves]`.
    fn policy(&mut self, map: &PolicyMap, moves: usize, output: &Value) {
        // The head's output is in its own order (planes of squares, or pairs of squares). The file gathers it into the order of the
        // move encoding, so that another program needs the encoding alone and not the kind of head.
        let flat = self.flatten("policy.row", output);
        let places = (0..moves).map(|index| i64::from(map.slot(index).unwrap_or_default()));
        let places = self.integers("policy.places", places);
        self.node_with("Gather", "policy", &[&flat, &places], vec![integer("axis", 1)]);
    }

    /// Writes the value `wdl`, or `pawns`, from the value head's outputs.
    ///
    /// # Shapes
    /// `[batch, outputs, 1, 1]` -> `[batch, 3]` or `[batch, 1]`.
    fn value(&mut self, kind: ValueKind, output: &Value) {
        let flat = self.flatten("value.row", output);
        match kind {
            ValueKind::Wdl => {
                self.node_with("Softmax", "wdl", &[&flat], vec![integer("axis", 1)]);
            }
            ValueKind::Scalar => {
                let expected = self.node("Tanh", "value.expected", &[&flat]);
                let halves = self.floats("value.halves", &[1, 3], [0.5, 0.0, -0.5]);
                let middle = self.floats("value.middle", &[3], [0.5, 0.0, 0.5]);
                self.node("Gemm", "wdl", &[&expected, &halves, &middle]);
            }
            ValueKind::Pawns { squash: false, .. } | ValueKind::None => {
                self.node("Identity", "pawns", &[&flat]);
            }
            ValueKind::Pawns { limit, squash: true } => {
                let share = self.node("Tanh", "value.share", &[&flat]);
                let limit = self.floats("value.limit", &[1], [limit]);
                self.node("Mul", "pawns", &[&share, &limit]);
            }
        }
    }

    fn flatten(&mut self, name: &str, input: &Value) -> Value {
        self.node_with("Flatten", name, &[input], vec![integer("axis", 1)])
    }
}

#[cfg(test)]
mod tests;
