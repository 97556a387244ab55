//! Exports the list of layers to operators.

use crate::{
    architecture::PlaneArchitecture,
    passes::{Parameters, Statistics},
    planes::{
        layers::Export,
        onnx_graph::{GraphBuilder, Value, integer},
        policy_map::PolicyMap,
    },
    spec::ValueKind,
};

impl GraphBuilder {
    /// Adds all layers; returns the values of all places.
    pub(super) fn layers(
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
        let mut slice = |name: &str, from: [i64; 3], to: [i64; 3]| {
            let bounds = [("from", from), ("to", to), ("axes", [1, 2, 3])];
            let bounds = bounds.map(|(part, values)| self.integers(&format!("{name}.{part}"), values));
            self.node("Slice", name, &[planes, &bounds[0], &bounds[1], &bounds[2]])
        };
        vec![slice("board", [0; 3], [on_board, 8, 8]), slice("numbers", [on_board, 0, 0], [count, 1, 1])]
    }

    /// Writes the value `policy`.
    ///
    /// # Shapes
    /// `[batch, width, 1, 1]` -> `[batch, moves]`.
    pub(super) fn policy(&mut self, map: &PolicyMap, moves: usize, output: &Value) {
        let flat = self.flatten("policy.row", output);
        let places = (0..moves).map(|index| i64::from(map.slot(index).unwrap_or_default()));
        let places = self.integers("policy.places", places);
        self.node_with("Gather", "policy", &[&flat, &places], vec![integer("axis", 1)]);
    }

    /// Writes the value `wdl`, or `pawns`, from the value head's outputs.
    ///
    /// # Shapes
    /// `[batch, outputs, 1, 1]` -> `[batch, 3]` or `[batch, 1]`.
    pub(super) fn value(&mut self, kind: ValueKind, output: &Value) {
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

    pub(super) fn flatten(&mut self, name: &str, input: &Value) -> Value {
        self.node_with("Flatten", name, &[input], vec![integer("axis", 1)])
    }
}
