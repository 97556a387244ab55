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

/// A layer of the file, if it is there, and its name.
type Named<'a, T> = (Option<&'a T>, &'a str);

/// A field of a message together with its name, for errors.
macro_rules! field {
    ($message:ident.$field:ident) => {
        ($message.$field.as_deref(), stringify!($field))
    };
}

use field;

/// Collects matrices while it builds the specification that they belong to.
pub(super) struct Reader {
    format: Format,
    heads: Heads,
    matrices: Vec<Matrix>,
}

fn missing(layer: &str) -> Lc0Problem {
    Lc0Problem::Missing { layer: layer.into() }
}

/// Rows and columns of a matrix change places.
fn transposed(values: &[f32], rows: usize) -> Vec<f32> {
    let columns = values.len() / rows.max(1);
    (0..values.len()).map(|place| values[place % rows * columns + place / rows]).collect()
}

/// A dense layer of the file, `[outputs][inputs]`, and the factor applied to it.
struct DenseLayer<'a> {
    weights: Named<'a, Layer>,
    /// Without a bias in the file there is none in the matrices.
    bias: Option<Named<'a, Layer>>,
    inputs: usize,
    /// Multiplies weights and bias.
    factor: f32,
}

impl<'a> DenseLayer<'a> {
    fn new(weights: Named<'a, Layer>, bias: Named<'a, Layer>, inputs: usize) -> Self {
        Self { weights, bias: Some(bias), inputs, factor: 1.0 }
    }

    fn without_bias(weights: Named<'a, Layer>, inputs: usize) -> Self {
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
        let (bias, weights) =
            (layer.bias.map(|(bias, name)| required(bias, name)).transpose()?, layer.weights);
        let (weights, weights_name) = (required(weights.0, weights.1)?, weights.1);
        let outputs = bias.as_ref().map_or(weights.len() / layer.inputs.max(1), Vec::len);
        expect_len(&weights, outputs.saturating_mul(layer.inputs), weights_name)?;
        if outputs == 0 {
            return Err(missing(weights_name));
        }
        let scaled =
            |values: Vec<f32>| values.into_iter().map(|value| value * layer.factor).collect::<Vec<f32>>();
        if let Some(bias) = bias {
            self.add(format!("{name}.bias"), [1, outputs], scaled(bias));
        }
        Ok((scaled(transposed(&weights, outputs)), outputs))
    }

    /// Adds the scale and shift of a layer normalisation.
    fn norm(
        &mut self,
        name: &str,
        [gammas, betas]: [Option<&Layer>; 2],
        what: &str,
        channels: usize,
    ) -> Result<(), Lc0Problem> {
        for (part, layer, field) in [("scale", gammas, "gammas"), ("shift", betas, "betas")] {
            let field = format!("{what}_{field}");
            let values = required(layer, &field)?;
            expect_len(&values, channels, &field)?;
            self.add(format!("{name}.{part}"), [1, channels], values);
        }
        Ok(())
    }

    /// Adds a convolution that reads `inputs` channels, with a normalisation that only adds the bias; returns its outputs.
    fn convolution(
        &mut self,
        name: &str,
        block: Named<'_, ConvBlock>,
        kernel: usize,
        inputs: usize,
    ) -> Result<usize, Lc0Problem> {
        let FoldedConvolution { weights, bias } = convolution::convolution(block.0, block.1, kernel, inputs)?;
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
        let channels = self.convolution("stem", field!(weights.input), 3, PLANES)?;
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
        for (part, field, convolution) in
            [("first", "conv1", &block.conv1), ("second", "conv2", &block.conv2)]
        {
            let theirs = format!("residual[{number}].{field}");
            let layer = (convolution.as_deref(), theirs.as_str());
            let outputs = self.convolution(&format!("block{number}.{part}"), layer, 3, channels)?;
            expect_count(&format!("{theirs}.biases"), outputs, channels)?;
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
        let [w1, b1, w2, b2] = ["w1", "b1", "w2", "b2"].map(|field| format!("residual[{number}].se.{field}"));
        let squeeze = DenseLayer::new((unit.w1.as_deref(), &w1), (unit.b1.as_deref(), &b1), channels);
        let units = self.dense(&format!("block{number}.squeeze"), &squeeze)?;
        let excite = DenseLayer::new((unit.w2.as_deref(), &w2), (unit.b2.as_deref(), &b2), units);
        let outputs = self.dense(&format!("block{number}.excite"), &excite)?;
        expect_count(&b2, outputs, 2 * channels)?;
        Ok(units)
    }

    fn convolutional_policy(
        &mut self,
        weights: &Weights,
        channels: usize,
    ) -> Result<spec::PolicyHead, Lc0Problem> {
        let narrow = self.convolution("policy.first", field!(weights.policy1), 3, channels)?;
        let policy = field!(weights.policy);
        let FoldedConvolution { weights, bias } = convolution::convolution(policy.0, policy.1, 3, narrow)?;
        let order = policy_planes::order(bias.len())?;
        let pick = |row: &[f32]| -> Vec<f32> {
            order.iter().map(|plane| plane.map_or(0.0, |plane| row[plane])).collect()
        };
        let rows = weights.chunks_exact(bias.len()).flat_map(pick).collect();
        self.add("policy.last.weight".into(), [9 * narrow, POLICY_PLANES], rows);
        self.add("policy.last.bias".into(), [1, POLICY_PLANES], pick(&bias));
        Ok(spec::PolicyHead::Convolution { channels: (narrow != channels).then_some(narrow) })
    }

    fn classical_policy(
        &mut self,
        weights: &Weights,
        channels: usize,
    ) -> Result<spec::PolicyHead, Lc0Problem> {
        let narrow = self.convolution("policy.first", field!(weights.policy), 1, channels)?;
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
        let [channels, hidden] = self.pooled("value", &head, channels)?;
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
        let [channels, hidden] = self.pooled("moves_left", &head, channels)?;
        Ok(MovesLeftHead { channels, hidden })
    }

    /// Adds a head of one layer for each square and two for the board; returns the channels of the first and the units of the second.
    fn pooled(
        &mut self,
        name: &str,
        head: &PooledHead<'_>,
        channels: usize,
    ) -> Result<[usize; 2], Lc0Problem> {
        let (first, hidden, last) =
            (format!("{name}.first"), format!("{name}.hidden"), format!("{name}.last"));
        let (narrow, hidden) = if self.format.attention_body {
            let [weights, bias] = head.embedding;
            let shift = required(bias.0, bias.1)?;
            let narrow = self.dense(&first, &DenseLayer::without_bias(weights, channels))?;
            expect_len(&shift, narrow, bias.1)?;
            self.identity(&first, shift);
            (narrow, self.dense(&hidden, &DenseLayer::new(head.hidden[0], head.hidden[1], SQUARES * narrow))?)
        } else {
            let narrow = self.convolution(&first, head.convolution, 1, channels)?;
            let layer = DenseLayer::new(head.hidden[0], head.hidden[1], SQUARES * narrow);
            (narrow, self.dense_on_board(&hidden, &layer)?)
        };
        let outputs = self.dense(&last, &DenseLayer::new(head.last[0], head.last[1], hidden))?;
        expect_count(head.last[1].1, outputs, head.outputs)?;
        Ok([narrow, hidden])
    }
}

/// The layers of a value or moves-left head, weights before biases.
struct PooledHead<'a> {
    /// The first layer after an attention body.
    embedding: [Named<'a, Layer>; 2],
    /// The first layer after a tower.
    convolution: Named<'a, ConvBlock>,
    hidden: [Named<'a, Layer>; 2],
    last: [Named<'a, Layer>; 2],
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
