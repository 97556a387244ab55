//! Each kind of layer as ONNX operators.

use super::graph::{Builder, Value, integer, integers};
use crate::reference::{
    Activation, Convolution, Dense, Layers, PolicyHead, PooledHead, ResidualBlock, SqueezeExcite,
};

impl Builder {
    /// The tower.
    ///
    /// # Shapes
    /// `[batch, planes, 8, 8]` -> `[batch, channels, 8, 8]`.
    pub(super) fn trunk(&mut self, layers: &Layers, planes: &Value) -> Value {
        let stem = self.convolution("stem", &layers.stem, planes);
        let mut trunk = self.activation("stem.activated", layers.activation, stem);
        for (number, block) in layers.blocks.iter().enumerate() {
            trunk = self.block(&format!("block{number}"), block, &trunk);
        }
        trunk
    }

    fn block(&mut self, name: &str, block: &ResidualBlock, input: &Value) -> Value {
        let first = self.convolution(&format!("{name}.first"), block.first(), input);
        let first = self.activation(&format!("{name}.first.activated"), block.activation(), first);
        let mut inner = self.convolution(&format!("{name}.second"), block.second(), &first);
        if let Some(unit) = block.squeeze_excite() {
            inner = self.squeeze_excite(&format!("{name}.unit"), unit, &inner);
        }
        let sum = self.node("Add", &format!("{name}.sum"), &[&inner, input]);
        self.activation(&format!("{name}.activated"), block.activation(), sum)
    }

    /// # Shapes
    /// `[batch, channels, 8, 8]` -> the same.
    fn squeeze_excite(&mut self, name: &str, unit: &SqueezeExcite, input: &Value) -> Value {
        let channels = unit.channels();
        let mean = self.node("GlobalAveragePool", &format!("{name}.mean"), &[input]); // [batch, channels, 1, 1]
        let mean = self.flatten(&format!("{name}.mean.flat"), &mean);
        let hidden = self.dense(&format!("{name}.squeeze"), unit.squeeze(), &mean);
        let hidden = self.activation(&format!("{name}.squeeze.activated"), unit.activation(), hidden);
        let board = self.integers(&format!("{name}.shape"), [-1, channels as i64, 1, 1]);
        // One matrix for each half spares a split of its product.
        let half = |builder: &mut Self, part: &str, first: usize| {
            let name = format!("{name}.{part}");
            let columns = |row: &[f32]| row[first..first + channels].to_vec();
            let weights = unit.excite().weights().chunks_exact(unit.excite().outputs()).flat_map(columns);
            let weights =
                builder.floats(&format!("{name}.weight"), &[unit.excite().inputs(), channels], weights);
            let bias = builder.floats(&format!("{name}.bias"), &[channels], columns(unit.excite().bias()));
            let flat = builder.node("Gemm", &format!("{name}.flat"), &[&hidden, &weights, &bias]);
            builder.node("Reshape", &name, &[&flat, &board]) // [batch, channels, 1, 1]
        };
        let scale = half(self, "scale", 0);
        let added = (unit.excite().outputs() > channels).then(|| half(self, "added", channels));
        let scale = self.node("Sigmoid", &format!("{name}.factor"), &[&scale]);
        let scaled = self.node("Mul", &format!("{name}.scaled"), &[input, &scale]);
        match added {
            Some(added) => self.node("Add", name, &[&scaled, &added]),
            None => scaled,
        }
    }

    /// Writes the value `policy`.
    ///
    /// # Shapes
    /// `[batch, channels, 8, 8]` -> `[batch, moves]`.
    pub(super) fn policy(&mut self, head: &PolicyHead, trunk: &Value) {
        let (PolicyHead::Convolutional { first, activation, .. }
        | PolicyHead::Dense { convolution: first, activation, .. }) = head;
        let inner = self.convolution("policy.first", first, trunk);
        let inner = self.activation("policy.first.activated", *activation, inner);
        match head {
            PolicyHead::Convolutional { second, gather, .. } => {
                let planes = self.convolution("policy.second", second, &inner);
                let flat = self.flatten("policy.planes", &planes); // plane * 64 + square
                let places = self.integers("policy.places", gather.iter().map(|place| *place as i64));
                self.node_with("Gather", "policy", &[&flat, &places], vec![integer("axis", 1)]);
            }
            PolicyHead::Dense { dense, .. } => {
                let flat = self.flatten("policy.flat", &inner); // channel * 64 + square
                self.dense("policy", dense, &flat);
            }
        }
    }

    /// A head's numbers before its last function.
    ///
    /// # Shapes
    /// `[batch, channels, 8, 8]` -> `[batch, outputs]`.
    pub(super) fn pooled(&mut self, name: &str, head: &PooledHead, trunk: &Value) -> Value {
        let inner = self.convolution(&format!("{name}.first"), &head.convolution, trunk);
        let inner = self.activation(&format!("{name}.first.activated"), head.activation, inner);
        let flat = self.flatten(&format!("{name}.flat"), &inner);
        let hidden = self.dense(&format!("{name}.hidden"), &head.hidden, &flat);
        let hidden = self.activation(&format!("{name}.hidden.activated"), head.activation, hidden);
        self.dense(&format!("{name}.last"), &head.output, &hidden)
    }

    /// Writes the value `wdl` from the value head's numbers, as [`crate::reference`] does.
    ///
    /// # Shapes
    /// `[batch, 3 | 1]` -> `[batch, 3]`.
    pub(super) fn wdl(&mut self, outputs: usize, value: &Value) {
        if outputs == 3 {
            self.node_with("Softmax", "wdl", &[value], vec![integer("axis", 1)]);
            return;
        }
        let expected = self.node("Tanh", "value.expected", &[value]);
        let halves = self.floats("value.halves", &[1, 3], [0.5, 0.0, -0.5]);
        let middle = self.floats("value.middle", &[3], [0.5, 0.0, 0.5]);
        self.node("Gemm", "wdl", &[&expected, &halves, &middle]);
    }

    fn convolution(&mut self, name: &str, layer: &Convolution, input: &Value) -> Value {
        let (kernel, inputs, outputs) = (layer.kernel(), layer.inputs(), layer.outputs());
        let taps = kernel * kernel;
        // [taps][inputs][outputs] -> [outputs][inputs][taps]
        let at = |index: usize| {
            let (tap, input, output) = (index % taps, index / taps % inputs, index / taps / inputs);
            layer.weights()[(tap * inputs + input) * outputs + output]
        };
        let weights = (0..layer.weights().len()).map(at);
        let weights = self.floats(&format!("{name}.weight"), &[outputs, inputs, kernel, kernel], weights);
        let bias = self.floats(&format!("{name}.bias"), &[outputs], layer.bias().iter().copied());
        let (size, edge) = (kernel as i64, kernel as i64 / 2);
        let settings = vec![integers("kernel_shape", &[size; 2]), integers("pads", &[edge; 4])];
        self.node_with("Conv", name, &[input, &weights, &bias], settings)
    }

    fn dense(&mut self, name: &str, layer: &Dense, input: &Value) -> Value {
        let shape = [layer.inputs(), layer.outputs()];
        let weights = self.floats(&format!("{name}.weight"), &shape, layer.weights().iter().copied());
        let bias = self.floats(&format!("{name}.bias"), &[layer.outputs()], layer.bias().iter().copied());
        self.node("Gemm", name, &[input, &weights, &bias])
    }

    fn flatten(&mut self, name: &str, input: &Value) -> Value {
        self.node_with("Flatten", name, &[input], vec![integer("axis", 1)])
    }

    fn activation(&mut self, name: &str, activation: Activation, input: Value) -> Value {
        match activation {
            Activation::Identity => input,
            Activation::Relu => self.node("Relu", name, &[&input]),
            // Older runtimes know neither as one operator.
            Activation::Mish => {
                let soft = self.node("Softplus", &format!("{name}.softplus"), &[&input]);
                let gate = self.node("Tanh", &format!("{name}.gate"), &[&soft]);
                self.node("Mul", name, &[&input, &gate])
            }
            Activation::Swish => {
                let gate = self.node("Sigmoid", &format!("{name}.gate"), &[&input]);
                self.node("Mul", name, &[&input, &gate])
            }
        }
    }
}
