//! Reads the layers of a weights file as a specification and its matrices. What each layer computes is described by
//! `network_blas.cc` of lc0.

mod attention;
mod encoder;

use chess::encoding::SQUARES;

use crate::{
    container::Matrix,
    parameter::EPSILON,
    planes::{
        lc0::{
            convolution::{self, FoldedConvolution},
            error::Lc0Problem,
            format::{Format, PolicyFormat},
            heads::Heads,
            layer::{expect_count, expect_len, required},
            message::{ConvBlock, Layer, Residual, SqueezeExciteUnit, Weights},
            policy_planes::{self, MOVE_COUNT},
        },
        policy_map::POLICY_PLANES,
    },
    spec::{self, Body, HeadBody, MovesLeftHead, PlaneSpec, SqueezeExcite, Stem, Tower},
    weights::plan::square_major,
};

/// Number of planes of every input format.
const PLANES: usize = 112;

/// A field of a message, with lc0's name of it for errors.
struct Field<'a, T> {
    value: Option<&'a T>,
    name: String,
}

impl Field<'_, Layer> {
    fn required(&self) -> Result<Vec<f32>, Lc0Problem> {
        required(self.value, &self.name)
    }
}

/// A [`Field`] of a message; `in` gives the name of the message if it is part of another.
macro_rules! field {
    ($message:ident.$field:ident) => {
        Field { value: $message.$field.as_deref(), name: stringify!($field).to_owned() }
    };
    ($message:ident.$field:ident in $parent:expr) => {
        Field {
            value: $message.$field.as_deref(),
            name: format!("{parent}.{}", stringify!($field), parent = $parent),
        }
    };
}

use field;

/// Collects matrices while it builds the specification that they belong to.
pub(super) struct Reader {
    format: Format,
    heads: Heads,
    matrices: Vec<Matrix>,
}

/// The transpose of a matrix with this many rows.
fn transposed(values: &[f32], rows: usize) -> Vec<f32> {
    let columns = values.len() / rows.max(1);
    (0..values.len()).map(|place| values[place % rows * columns + place / rows]).collect()
}

/// A dense layer of the file, `[outputs][inputs]`, and the factor applied to it.
struct DenseLayer<'a> {
    weights: Field<'a, Layer>,
    /// Without a bias in the file there is none in the matrices.
    bias: Option<Field<'a, Layer>>,
    inputs: usize,
    /// Multiplies weights and bias.
    factor: f32,
}

impl<'a> DenseLayer<'a> {
    fn new(weights: Field<'a, Layer>, bias: Field<'a, Layer>, inputs: usize) -> Self {
        Self { weights, bias: Some(bias), inputs, factor: 1.0 }
    }

    fn without_bias(weights: Field<'a, Layer>, inputs: usize) -> Self {
        Self { weights, bias: None, inputs, factor: 1.0 }
    }
}

impl Reader {
    /// The specification and the matrices of a network of this format.
    pub(super) fn read(
        format: Format,
        heads: Heads,
        weights: &Weights,
    ) -> Result<(PlaneSpec, Vec<Matrix>), Lc0Problem> {
        if format.policy != PolicyFormat::Attention {
            heads.expect_one_policy()?;
        }
        let mut reader = Self { format, heads, matrices: Vec::new() };
        // Each part adds its matrices as it is read, in any order: the specification that results sorts them.
        let (body, channels) =
            if format.attention_body { reader.attention_body(weights)? } else { reader.tower(weights)? };
        let policy = match format.policy {
            PolicyFormat::Classical => reader.classical_policy(weights, channels)?,
            PolicyFormat::Convolution => reader.convolutional_policy(weights, channels)?,
            PolicyFormat::Attention => reader.attention_policy(weights, channels)?,
        };
        let value = reader.value(weights, channels)?;
        let moves_left = if format.moves_left { Some(reader.moves_left(weights, channels)?) } else { None };
        let spec = PlaneSpec {
            input: format.input.into(),
            moves: format.moves.into(),
            numbers: 0,
            body,
            activation: format.activation,
            policy,
            value,
            moves_left,
        };
        Ok((spec, reader.matrices))
    }

    fn add(&mut self, name: String, shape: [usize; 2], values: Vec<f32>) {
        self.matrices.push(Matrix { name, shape, values });
    }

    /// Adds a dense layer; returns its outputs.
    fn dense(&mut self, name: &str, layer: &DenseLayer<'_>) -> Result<usize, Lc0Problem> {
        let (weights, outputs) = self.dense_rows(name, layer)?;
        self.add(format!("{name}.weight"), [layer.inputs, outputs], weights);
        Ok(outputs)
    }

    /// Adds a dense layer that must have this many outputs.
    fn dense_to(&mut self, name: &str, layer: &DenseLayer<'_>, outputs: usize) -> Result<(), Lc0Problem> {
        let found = self.dense(name, layer)?;
        let counted = layer.bias.as_ref().unwrap_or(&layer.weights);
        expect_count(&counted.name, found, outputs)
    }

    /// Adds a dense layer that reads the whole board, and converts its inputs from the file's order
    /// `[channels][squares]` to `[squares][channels]`; returns the number of its outputs.
    fn dense_on_board(&mut self, name: &str, layer: &DenseLayer<'_>) -> Result<usize, Lc0Problem> {
        let (rows, outputs) = self.dense_rows(name, layer)?;
        let channels = layer.inputs / SQUARES;
        let mut weights = vec![0.0; rows.len()];
        for (row, values) in rows.chunks_exact(outputs).enumerate() {
            weights[square_major(row, channels) * outputs..][..outputs].copy_from_slice(values);
        }
        self.add(format!("{name}.weight"), [layer.inputs, outputs], weights);
        Ok(outputs)
    }

    /// Adds the bias of a dense layer; returns its weights, `[inputs][outputs]`, and the number of outputs.
    fn dense_rows(&mut self, name: &str, layer: &DenseLayer<'_>) -> Result<(Vec<f32>, usize), Lc0Problem> {
        let bias = layer.bias.as_ref().map(Field::required).transpose()?;
        let weights = layer.weights.required()?;
        let outputs = bias.as_ref().map_or(weights.len() / layer.inputs.max(1), Vec::len);
        expect_len(&weights, outputs.saturating_mul(layer.inputs), &layer.weights.name)?;
        if outputs == 0 {
            return Err(Lc0Problem::missing(&layer.weights.name));
        }
        let mut rows = transposed(&weights, outputs);
        for weight in &mut rows {
            *weight *= layer.factor;
        }
        if let Some(mut bias) = bias {
            for value in &mut bias {
                *value *= layer.factor;
            }
            self.add(format!("{name}.bias"), [1, outputs], bias);
        }
        Ok((rows, outputs))
    }

    /// Adds the scale and shift of a layer normalisation.
    fn norm(
        &mut self,
        name: &str,
        [gammas, betas]: [Field<'_, Layer>; 2],
        channels: usize,
    ) -> Result<(), Lc0Problem> {
        for (part, field) in [("scale", gammas), ("shift", betas)] {
            let values = field.required()?;
            expect_len(&values, channels, &field.name)?;
            self.add(format!("{name}.{part}"), [1, channels], values);
        }
        Ok(())
    }

    /// Adds a convolution that reads `inputs` channels, with a normalisation that only adds the bias; returns its outputs.
    fn convolution(
        &mut self,
        name: &str,
        block: &Field<'_, ConvBlock>,
        kernel: usize,
        inputs: usize,
    ) -> Result<usize, Lc0Problem> {
        let FoldedConvolution { weights, bias } =
            convolution::convolution(block.value, &block.name, kernel, inputs)?;
        let outputs = bias.len();
        self.add(format!("{name}.weight"), [kernel * kernel * inputs, outputs], weights);
        self.identity(name, bias);
        Ok(outputs)
    }

    /// Adds a normalisation that only adds the bias: `(x - 0) / sqrt(1) * 1 + bias`.
    fn identity(&mut self, name: &str, bias: Vec<f32>) {
        let channels = bias.len();
        self.add(format!("{name}.scale"), [1, channels], vec![1.0; channels]);
        self.add(format!("{name}.shift"), [1, channels], bias);
        // The variance that gives exactly one when epsilon is added, also in f32.
        let moments = [vec![0.0; channels], vec![1.0 - EPSILON; channels]].concat();
        self.add(format!("{name}.moments"), [2, channels], moments);
    }

    /// The residual tower; also returns its channels.
    fn tower(&mut self, weights: &Weights) -> Result<(Body, usize), Lc0Problem> {
        let channels = self.convolution("stem", &field!(weights.input), 3, PLANES)?;
        let mut units = Vec::new();
        for (number, block) in weights.residual.iter().enumerate() {
            units.push(self.residual(number, block, channels)?);
        }
        let squeeze_excite = squeeze_excite(&units, channels)?;
        let tower = Tower { stem: Stem::Convolution, blocks: units.len(), channels, squeeze_excite };
        Ok((Body::Tower(tower), channels))
    }

    /// Adds a residual block; returns the units of its squeeze-and-excitation, if it has one.
    fn residual(
        &mut self,
        number: usize,
        block: &Residual,
        channels: usize,
    ) -> Result<Option<usize>, Lc0Problem> {
        let theirs = format!("residual[{number}]");
        for (part, field) in
            [("first", field!(block.conv1 in theirs)), ("second", field!(block.conv2 in theirs))]
        {
            let outputs = self.convolution(&format!("block{number}.{part}"), &field, 3, channels)?;
            expect_count(&format!("{}.biases", field.name), outputs, channels)?;
        }
        block.se.as_deref().map(|unit| self.unit(number, unit, channels)).transpose()
    }

    /// Adds a squeeze-and-excitation; returns its units. lc0's always scale and add: they have two outputs for each channel.
    fn unit(
        &mut self,
        number: usize,
        unit: &SqueezeExciteUnit,
        channels: usize,
    ) -> Result<usize, Lc0Problem> {
        let theirs = format!("residual[{number}].se");
        let squeeze = DenseLayer::new(field!(unit.w1 in theirs), field!(unit.b1 in theirs), channels);
        let units = self.dense(&format!("block{number}.squeeze"), &squeeze)?;
        let excite = DenseLayer::new(field!(unit.w2 in theirs), field!(unit.b2 in theirs), units);
        self.dense_to(&format!("block{number}.excite"), &excite, 2 * channels)?;
        Ok(units)
    }

    fn convolutional_policy(
        &mut self,
        weights: &Weights,
        channels: usize,
    ) -> Result<spec::PolicyHead, Lc0Problem> {
        let narrow = self.convolution("policy.first", &field!(weights.policy1), 3, channels)?;
        let FoldedConvolution { weights, bias } =
            convolution::convolution(weights.policy.as_deref(), "policy", 3, narrow)?;
        // The file's planes are in lc0's order of moves; those without a counterpart are zero.
        let order = policy_planes::order(bias.len())?;
        let mut rows = Vec::with_capacity(9 * narrow * POLICY_PLANES);
        for row in weights.chunks_exact(bias.len()) {
            rows.extend(picked(row, &order));
        }
        self.add("policy.last.weight".into(), [9 * narrow, POLICY_PLANES], rows);
        self.add("policy.last.bias".into(), [1, POLICY_PLANES], picked(&bias, &order).collect());
        Ok(spec::PolicyHead::Convolution { channels: (narrow != channels).then_some(narrow) })
    }

    fn classical_policy(
        &mut self,
        weights: &Weights,
        channels: usize,
    ) -> Result<spec::PolicyHead, Lc0Problem> {
        let narrow = self.convolution("policy.first", &field!(weights.policy), 1, channels)?;
        let last = DenseLayer::new(field!(weights.ip_pol_w), field!(weights.ip_pol_b), narrow * SQUARES);
        let outputs = self.dense_on_board("policy.last", &last)?;
        expect_count("ip_pol_b", outputs, MOVE_COUNT)?;
        Ok(spec::PolicyHead::Dense { channels: narrow })
    }

    fn value(&mut self, weights: &Weights, channels: usize) -> Result<spec::ValueHead, Lc0Problem> {
        let kind = self.format.value;
        let head = self.heads.value(self.format.several_heads, weights)?;
        let head = PooledHead {
            embedding: [field!(head.ip_val_w), field!(head.ip_val_b)],
            convolution: field!(weights.value),
            hidden: [field!(head.ip1_val_w), field!(head.ip1_val_b)],
            last: [field!(head.ip2_val_w), field!(head.ip2_val_b)],
            outputs: kind.outputs(),
        };
        let [channels, hidden] = self.pooled("value", head, channels)?;
        Ok(spec::ValueHead { kind, body: HeadBody::Pooled { channels, hidden } })
    }

    fn moves_left(&mut self, weights: &Weights, channels: usize) -> Result<MovesLeftHead, Lc0Problem> {
        let head = PooledHead {
            embedding: [field!(weights.ip_mov_w), field!(weights.ip_mov_b)],
            convolution: field!(weights.moves_left),
            hidden: [field!(weights.ip1_mov_w), field!(weights.ip1_mov_b)],
            last: [field!(weights.ip2_mov_w), field!(weights.ip2_mov_b)],
            outputs: 1,
        };
        let [channels, hidden] = self.pooled("moves_left", head, channels)?;
        Ok(MovesLeftHead { channels, hidden })
    }

    /// Adds a head of one layer for each square and two for the board; returns the channels of the first and the units of the second.
    fn pooled(
        &mut self,
        name: &str,
        head: PooledHead<'_>,
        channels: usize,
    ) -> Result<[usize; 2], Lc0Problem> {
        let PooledHead { embedding, convolution, hidden, last, outputs } = head;
        let [first, hidden_name] = ["first", "hidden"].map(|part| format!("{name}.{part}"));
        let [weights, bias] = hidden;
        let (narrow, hidden) = if self.format.attention_body {
            let [embedding, shift_field] = embedding;
            let shift = shift_field.required()?;
            let narrow = self.dense(&first, &DenseLayer::without_bias(embedding, channels))?;
            expect_len(&shift, narrow, &shift_field.name)?;
            self.identity(&first, shift);
            let layer = DenseLayer::new(weights, bias, SQUARES * narrow);
            (narrow, self.dense(&hidden_name, &layer)?)
        } else {
            let narrow = self.convolution(&first, &convolution, 1, channels)?;
            let layer = DenseLayer::new(weights, bias, SQUARES * narrow);
            (narrow, self.dense_on_board(&hidden_name, &layer)?)
        };
        let [weights, bias] = last;
        self.dense_to(&format!("{name}.last"), &DenseLayer::new(weights, bias, hidden), outputs)?;
        Ok([narrow, hidden])
    }
}

/// The elements of a row in another order, and zeros where the order has none.
fn picked<'a>(row: &'a [f32], order: &'a [Option<usize>]) -> impl Iterator<Item = f32> + 'a {
    order.iter().map(|place| place.map_or(0.0, |place| row[place]))
}

/// The layers of a value or moves-left head, weights before biases.
struct PooledHead<'a> {
    /// The first layer after an attention body.
    embedding: [Field<'a, Layer>; 2],
    /// The first layer after a tower.
    convolution: Field<'a, ConvBlock>,
    hidden: [Field<'a, Layer>; 2],
    last: [Field<'a, Layer>; 2],
    outputs: usize,
}

/// The squeeze-and-excitation of a specification from the units of each block, which has one size for the whole network.
fn squeeze_excite(units: &[Option<usize>], channels: usize) -> Result<SqueezeExcite, Lc0Problem> {
    let blocks: Vec<usize> = (0..units.len()).filter(|block| units[*block].is_some()).collect();
    let Some(hidden) = units.iter().flatten().next().copied() else { return Ok(SqueezeExcite::default()) };
    for block in &blocks {
        let found = units[*block].unwrap_or_default();
        if found != hidden {
            let expected = format!("{hidden}, as in the blocks before it");
            return Err(Lc0Problem::Size { layer: format!("residual[{block}].se.b1"), found, expected });
        }
    }
    let ratio = channels / hidden;
    let is_exact = ratio > 0 && channels / ratio == hidden;
    Ok(SqueezeExcite {
        ratio: if is_exact { ratio } else { 0 },
        hidden: (!is_exact).then_some(hidden),
        blocks: (blocks.len() < units.len()).then_some(blocks),
    })
}
