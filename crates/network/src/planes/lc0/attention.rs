//! Networks with attention: attention bodies with one or several heads, and residual towers with an attention policy, as a specification
//! and its matrices. What each layer computes is described by `network_blas.cc` of lc0.

mod encoder;

use chess::encoding::{InputEncoding as _, SQUARES, moves::Lc0Moves1858};

use self::encoder::EncoderShape;
use crate::{
    container::Matrix,
    parameter::EPSILON,
    planes::{
        layers::{
            Activate, Convolution, DenseEmbedding, Entry, LayerKind, LayerNorm, Residual, SquareAffine,
        },
        lc0::{
            container,
            description::Description,
            error::{Lc0Error, Lc0Problem},
            format::{self, AttentionFormat, Embedding, MovesLeftFormat, ValueFormat},
            layer::{expect_len, optional, required},
            layers,
            message::{ConvBlock, Layer, Net, PolicyHead, ValueHead, Weights},
            network::{INPUT, Lc0Network},
        },
    },
    spec::{self, Activation, Body, HeadBody, MovesLeftHead, PlaneSpec, Stem, Tower, ValueKind},
    weights::{from_tower::squeeze_excite, to_tower::square_major},
};

/// The planes of the position itself, from which a dense embedding is made.
const PIECES: usize = 12;

/// Epsilon of smolgen and of bodies with a dense embedding, and that of the others.
const LARGE_EPSILON: f32 = 1e-3;
const SMALL_EPSILON: f32 = 1e-6;

/// A network of lc0: a tower that the kernels for towers compute, or layers.
pub(crate) enum Lc0Kind {
    Tower(Box<Lc0Network>),
    Layers(Box<Lc0Layers>),
}

/// A network with attention.
pub(crate) struct Lc0Layers {
    pub(crate) description: Description,
    pub(crate) spec: PlaneSpec,
    /// The matrices of the weights file, by name.
    pub(crate) matrices: Vec<Matrix>,
}

impl Lc0Kind {
    /// Reads a weights file's content, compressed or not; `file` names it in errors.
    ///
    /// # Errors
    /// [`Lc0Error`] with the file and the problem.
    pub(crate) fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, Lc0Error> {
        Self::parse(bytes).map_err(|problem| Lc0Error { file: file.into(), problem })
    }

    fn parse(bytes: &[u8]) -> Result<Self, Lc0Problem> {
        let net = container::decode(bytes)?;
        let Some(format) = format::attention(&net)? else {
            return Ok(Self::Tower(Box::new(Lc0Network::of_net(net)?)));
        };
        Ok(Self::Layers(Box::new(Lc0Layers::new(net, format)?)))
    }
}

impl Lc0Layers {
    fn new(net: Net, format: AttentionFormat) -> Result<Self, Lc0Problem> {
        let weights = net.weights.as_deref().ok_or_else(|| missing("weights"))?;
        let mut reader = Reader { format, matrices: Vec::new() };
        let (body, channels) =
            if format.body { reader.attention_body(weights)? } else { reader.tower(weights)? };
        let policy = reader.policy(weights, channels)?;
        let value = reader.value(weights, channels)?;
        let moves_left = match format.moves_left {
            MovesLeftFormat::None => None,
            MovesLeftFormat::V1 => Some(reader.moves_left(weights, channels)?),
        };
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
        let Reader { matrices, .. } = reader;
        Ok(Self { description: Description::of(net), spec, matrices })
    }
}

fn missing(layer: &str) -> Lc0Problem {
    Lc0Problem::Missing { layer: layer.into() }
}

/// Rows and columns of a matrix change places.
fn transposed(values: &[f32], rows: usize) -> Vec<f32> {
    let columns = values.len() / rows.max(1);
    (0..values.len()).map(|place| values[place % rows * columns + place / rows]).collect()
}

fn entry(name: &str, layer: LayerKind) -> Entry {
    Entry { name: Some(name.into()), layer }
}

fn activation(name: &str, function: Activation) -> Entry {
    entry(name, LayerKind::Activation(Activate { function: Some(function) }))
}

fn pointwise(name: &str, channels: usize) -> Entry {
    entry(name, LayerKind::Convolution(Convolution::pointwise(channels)))
}

/// A layer of the file and its name there.
type Named<'a, T> = (Option<&'a T>, &'a str);

/// Collects matrices while it builds the specification that they belong to.
struct Reader {
    format: AttentionFormat,
    matrices: Vec<Matrix>,
}

impl Reader {
    fn add(&mut self, name: String, shape: [usize; 2], values: Vec<f32>) {
        self.matrices.push(Matrix { name, shape, values });
    }

    /// A dense layer, `[outputs][inputs]` in the file, times `factor`; returns its outputs. Without a bias in the file there is none here.
    fn dense(
        &mut self,
        name: &str,
        (weights, weights_name): (Option<&Layer>, &str),
        bias: Option<(Option<&Layer>, &str)>,
        (inputs, factor): (usize, f32),
    ) -> Result<usize, Lc0Problem> {
        let weights = required(weights, weights_name)?;
        let outputs = weights.len() / inputs.max(1);
        expect_len(&weights, outputs * inputs, weights_name)?;
        if outputs == 0 {
            return Err(missing(weights_name));
        }
        let scaled = |values: Vec<f32>| values.into_iter().map(|value| value * factor).collect::<Vec<f32>>();
        if let Some((bias, bias_name)) = bias {
            let bias = required(bias, bias_name)?;
            expect_len(&bias, outputs, bias_name)?;
            self.add(format!("{name}.bias"), [1, outputs], scaled(bias));
        }
        self.add(format!("{name}.weight"), [inputs, outputs], scaled(transposed(&weights, outputs)));
        Ok(outputs)
    }

    fn norm(
        &mut self,
        name: &str,
        [gammas, betas]: [Option<&Layer>; 2],
        (what, channels): (&str, usize),
    ) -> Result<(), Lc0Problem> {
        for (part, layer, field) in [("scale", gammas, "gammas"), ("shift", betas, "betas")] {
            let field = format!("{what}_{field}");
            let values = required(layer, &field)?;
            expect_len(&values, channels, &field)?;
            self.add(format!("{name}.{part}"), [1, channels], values);
        }
        Ok(())
    }

    /// The residual tower before an attention policy.
    fn tower(&mut self, weights: &Weights) -> Result<(Body, usize), Lc0Problem> {
        let (stem, blocks) = layers::tower(weights, self.format.activation.of_kernels())?;
        self.normalised("stem", &stem);
        for (number, block) in blocks.iter().enumerate() {
            let name = format!("block{number}");
            self.normalised(&format!("{name}.first"), &block.first);
            self.normalised(&format!("{name}.second"), &block.second);
            let Some(unit) = &block.squeeze_excite else { continue };
            for (part, dense) in [("squeeze", &unit.squeeze), ("excite", &unit.excite)] {
                let shape = [dense.inputs, dense.outputs];
                self.add(format!("{name}.{part}.weight"), shape, dense.weights.clone());
                self.add(format!("{name}.{part}.bias"), [1, dense.outputs], dense.bias.clone());
            }
        }
        let channels = stem.outputs;
        let squeeze_excite =
            squeeze_excite(&blocks, channels).map_err(|[expected, found]| Lc0Problem::Size {
                layer: "se.b1".into(),
                found,
                expected: format!("{expected}, as in the blocks before it"),
            })?;
        let tower = Tower { stem: Stem::Convolution, blocks: blocks.len(), channels, squeeze_excite };
        Ok((Body::Tower(tower), channels))
    }

    /// A convolution with a normalisation that only adds the bias.
    fn normalised(&mut self, name: &str, layer: &kernels::Convolution) {
        let rows = layer.kernel * layer.kernel * layer.inputs;
        self.add(format!("{name}.weight"), [rows, layer.outputs], layer.weights.clone());
        self.identity(name, layer.bias.clone());
    }

    fn identity(&mut self, name: &str, bias: Vec<f32>) {
        let channels = bias.len();
        self.add(format!("{name}.scale"), [1, channels], vec![1.0; channels]);
        self.add(format!("{name}.shift"), [1, channels], bias);
        let moments = [vec![0.0; channels], vec![1.0 - EPSILON; channels]].concat();
        self.add(format!("{name}.moments"), [2, channels], moments);
    }

    fn attention_body(&mut self, weights: &Weights) -> Result<(Body, usize), Lc0Problem> {
        if !weights.residual.is_empty() {
            return Err(Lc0Problem::Unsupported {
                what: "body of encoder layers after",
                found: format!("{} residual blocks", weights.residual.len()),
                supported: "encoder layers alone".into(),
            });
        }
        let (format, planes) = (self.format, INPUT.planes());
        let is_dense = format.embedding == Embedding::Dense;
        let mut body = Vec::new();
        let mut inputs = planes;
        if is_dense {
            let weight = (weights.ip_emb_preproc_w.as_deref(), "ip_emb_preproc_w");
            let bias = (weights.ip_emb_preproc_b.as_deref(), "ip_emb_preproc_b");
            let outputs = self.dense("preprocess.dense", weight, Some(bias), (SQUARES * PIECES, 1.0))?;
            let channels = outputs / SQUARES;
            inputs += channels;
            body.push(entry(
                "preprocess",
                LayerKind::DenseEmbedding(DenseEmbedding { read: PIECES, channels }),
            ));
        }
        let channels = self.embedding(weights, inputs)?;
        body.push(pointwise("embedding", channels));
        if format.embedding == Embedding::Map {
            body.push(entry(
                "positions",
                LayerKind::SquareAffine(SquareAffine { scale: false, shift: true }),
            ));
        }
        body.push(activation("embedded", format.activation));
        if is_dense {
            let norm = [&weights.ip_emb_ln_gammas, &weights.ip_emb_ln_betas].map(|layer| layer.as_deref());
            self.norm("embedding-norm", norm, ("ip_emb_ln", channels))?;
            body.push(entry("embedding-norm", LayerKind::LayerNorm(LayerNorm { epsilon: LARGE_EPSILON })));
        }
        let gates = [
            optional(weights.ip_mult_gate.as_deref(), "ip_mult_gate")?,
            optional(weights.ip_add_gate.as_deref(), "ip_add_gate")?,
        ];
        if let [Some(factors), Some(terms)] = gates {
            for (part, name, values) in [("scale", "ip_mult_gate", factors), ("shift", "ip_add_gate", terms)]
            {
                expect_len(&values, channels * SQUARES, name)?;
                self.add(format!("gating.{part}"), [SQUARES, channels], transposed(&values, channels));
            }
            body.push(entry("gating", LayerKind::SquareAffine(SquareAffine { scale: true, shift: true })));
        }
        // DeepNorm (Wang et al., arXiv 2203.00555): what a branch adds is scaled down with the number of layers.
        let share = (2.0 * weights.encoder.len() as f32).powf(-0.25);
        if is_dense {
            let ffn = weights.ip_emb_ffn.as_deref().ok_or_else(|| missing("ip_emb_ffn"))?;
            let hidden = self.feed_forward(
                ["embedding-ffn.0", "embedding-ffn.2"],
                (ffn, "ip_emb_ffn"),
                channels,
                share,
            )?;
            let plain = |layer| Entry { name: None, layer };
            let layers = vec![
                plain(pointwise("", hidden).layer),
                plain(activation("", format.ffn).layer),
                plain(pointwise("", channels).layer),
            ];
            let residual = Residual { layers, from: None, projection: false, activate: false, repeat: 1 };
            body.push(entry("embedding-ffn", LayerKind::Residual(residual)));
            let norm =
                [&weights.ip_emb_ffn_ln_gammas, &weights.ip_emb_ffn_ln_betas].map(|layer| layer.as_deref());
            self.norm("embedding-ffn-norm", norm, ("ip_emb_ffn_ln", channels))?;
            body.push(entry(
                "embedding-ffn-norm",
                LayerKind::LayerNorm(LayerNorm { epsilon: LARGE_EPSILON }),
            ));
        }
        let shape = EncoderShape {
            channels,
            heads: weights.headcount.unwrap_or_default() as usize,
            share,
            epsilon: if is_dense { LARGE_EPSILON } else { SMALL_EPSILON },
            activation: format.ffn,
        };
        for (number, layer) in weights.encoder.iter().enumerate() {
            body.push(self.encoder((layer, "encoder", number), shape, weights.smolgen_w.as_deref())?);
        }
        Ok((Body::Layers(body), channels))
    }

    /// The dense layer from planes to channels; the part of it that reads the constant map of a square becomes a shift of that square.
    fn embedding(&mut self, weights: &Weights, inputs: usize) -> Result<usize, Lc0Problem> {
        let is_map = self.format.embedding == Embedding::Map;
        let read = inputs + if is_map { SQUARES } else { 0 };
        let bias = required(weights.ip_emb_b.as_deref(), "ip_emb_b")?;
        let numbers = required(weights.ip_emb_w.as_deref(), "ip_emb_w")?;
        let channels = bias.len();
        expect_len(&numbers, channels * read, "ip_emb_w")?;
        let rows = transposed(&numbers, channels);
        self.add("embedding.weight".into(), [inputs, channels], rows[..inputs * channels].to_vec());
        self.add("embedding.bias".into(), [1, channels], bias);
        if is_map {
            let mut shift = vec![0.0; SQUARES * channels];
            for (square, shift) in shift.chunks_exact_mut(channels).enumerate() {
                for (other, row) in rows[inputs * channels..].chunks_exact(channels).enumerate() {
                    let place = position(square, other);
                    shift.iter_mut().zip(row).for_each(|(shift, weight)| *shift += place * weight);
                }
            }
            self.add("positions.shift".into(), [SQUARES, channels], shift);
        }
        Ok(channels)
    }

    fn policy(&mut self, weights: &Weights, channels: usize) -> Result<spec::PolicyHead, Lc0Problem> {
        let single;
        let (head, shared) = if self.format.several_heads {
            let heads = weights.policy_heads.as_deref().ok_or_else(|| missing("policy_heads"))?;
            let head = heads.vanilla.as_deref().ok_or_else(|| missing("policy_heads.vanilla"))?;
            (head, [heads.ip_pol_w.as_deref(), heads.ip_pol_b.as_deref()])
        } else {
            single = PolicyHead {
                ip_pol_w: weights.ip_pol_w.clone(),
                ip_pol_b: weights.ip_pol_b.clone(),
                ip2_pol_w: weights.ip2_pol_w.clone(),
                ip2_pol_b: weights.ip2_pol_b.clone(),
                ip3_pol_w: weights.ip3_pol_w.clone(),
                ip3_pol_b: weights.ip3_pol_b.clone(),
                ip4_pol_w: weights.ip4_pol_w.clone(),
                pol_encoder: weights.pol_encoder.clone(),
                pol_headcount: weights.pol_headcount,
            };
            (&single, [None, None])
        };
        let function = if self.format.body { self.format.activation } else { Activation::Selu };
        let embedding = self.dense(
            "policy-embedding",
            (head.ip_pol_w.as_deref().or(shared[0]), "ip_pol_w"),
            Some((head.ip_pol_b.as_deref().or(shared[1]), "ip_pol_b")),
            (channels, 1.0),
        )?;
        let mut layers =
            vec![pointwise("policy-embedding", embedding), activation("policy-embedded", function)];
        let shape = EncoderShape {
            channels: embedding,
            heads: head.pol_headcount.unwrap_or_default() as usize,
            share: 1.0,
            epsilon: SMALL_EPSILON,
            activation: if self.format.body { self.format.ffn } else { Activation::Selu },
        };
        for (number, layer) in head.pol_encoder.iter().enumerate() {
            layers.push(self.encoder((layer, "pol_encoder", number), shape, weights.smolgen_w.as_deref())?);
        }
        let mut depths = Vec::new();
        for (part, weight, bias) in [
            ("queries", (&head.ip2_pol_w, "ip2_pol_w"), (&head.ip2_pol_b, "ip2_pol_b")),
            ("keys", (&head.ip3_pol_w, "ip3_pol_w"), (&head.ip3_pol_b, "ip3_pol_b")),
        ] {
            let (weight, bias) = ((weight.0.as_deref(), weight.1), (bias.0.as_deref(), bias.1));
            depths.push(self.dense(&format!("policy.{part}"), weight, Some(bias), (embedding, 1.0))?);
        }
        let depth = depths[0];
        let promotions = (head.ip4_pol_w.as_deref(), "ip4_pol_w");
        let promotions = self.dense("policy.promotions", promotions, None, (depth, 1.0))?;
        for (layer, found, expected) in [("ip3_pol_b", depths[1], depth), ("ip4_pol_w", promotions, 4)] {
            if found != expected {
                return Err(Lc0Problem::Size { layer: layer.into(), found, expected: expected.to_string() });
            }
        }
        Ok(spec::PolicyHead::Attention { depth, layers })
    }

    fn value(&mut self, weights: &Weights, channels: usize) -> Result<spec::ValueHead, Lc0Problem> {
        let (kind, outputs) = match self.format.value {
            ValueFormat::Classical => (ValueKind::Scalar, 1),
            ValueFormat::Wdl => (ValueKind::Wdl, 3),
        };
        let single;
        let head = if self.format.several_heads {
            let heads = weights.value_heads.as_deref().ok_or_else(|| missing("value_heads"))?;
            heads.winner.as_deref().ok_or_else(|| missing("value_heads.winner"))?
        } else {
            single = ValueHead {
                ip_val_w: weights.ip_val_w.clone(),
                ip_val_b: weights.ip_val_b.clone(),
                ip1_val_w: weights.ip1_val_w.clone(),
                ip1_val_b: weights.ip1_val_b.clone(),
                ip2_val_w: weights.ip2_val_w.clone(),
                ip2_val_b: weights.ip2_val_b.clone(),
            };
            &single
        };
        let first = [(head.ip_val_w.as_deref(), "ip_val_w"), (head.ip_val_b.as_deref(), "ip_val_b")];
        let block = (weights.value.as_deref(), "value");
        let layers = [
            (head.ip1_val_w.as_deref(), "ip1_val_w"),
            (head.ip1_val_b.as_deref(), "ip1_val_b"),
            (head.ip2_val_w.as_deref(), "ip2_val_w"),
            (head.ip2_val_b.as_deref(), "ip2_val_b"),
        ];
        let [narrow, hidden] = self.pooled("value", (first, block), layers, (channels, outputs))?;
        Ok(spec::ValueHead { kind, body: HeadBody::Pooled { channels: narrow, hidden } })
    }

    fn moves_left(&mut self, weights: &Weights, channels: usize) -> Result<MovesLeftHead, Lc0Problem> {
        let first = [(weights.ip_mov_w.as_deref(), "ip_mov_w"), (weights.ip_mov_b.as_deref(), "ip_mov_b")];
        let block = (weights.moves_left.as_deref(), "moves_left");
        let layers = [
            (weights.ip1_mov_w.as_deref(), "ip1_mov_w"),
            (weights.ip1_mov_b.as_deref(), "ip1_mov_b"),
            (weights.ip2_mov_w.as_deref(), "ip2_mov_w"),
            (weights.ip2_mov_b.as_deref(), "ip2_mov_b"),
        ];
        let [narrow, hidden] = self.pooled("moves_left", (first, block), layers, (channels, 1))?;
        Ok(MovesLeftHead { channels: narrow, hidden })
    }

    /// A head of one layer for each square and two for the board; returns the channels of the first and the units of the second. After an
    /// attention body the numbers of a square stand together; after a tower those of a channel do.
    fn pooled(
        &mut self,
        name: &str,
        (first, block): ([Named<'_, Layer>; 2], Named<'_, ConvBlock>),
        [hidden_w, hidden_b, last_w, last_b]: [Named<'_, Layer>; 4],
        (channels, outputs): (usize, usize),
    ) -> Result<[usize; 2], Lc0Problem> {
        let narrow = if self.format.body {
            let [weight, bias] = first;
            let shift = required(bias.0, bias.1)?;
            let narrow = self.dense(&format!("{name}.first"), weight, None, (channels, 1.0))?;
            expect_len(&shift, narrow, bias.1)?;
            self.identity(&format!("{name}.first"), shift);
            narrow
        } else {
            let layer = layers::layer_of(block, 1, channels)?;
            self.normalised(&format!("{name}.first"), &layer);
            layer.outputs
        };
        let hidden =
            self.dense(&format!("{name}.hidden"), hidden_w, Some(hidden_b), (SQUARES * narrow, 1.0))?;
        if !self.format.body {
            let matrix = self.matrices.last_mut().expect("the weights come last");
            let mut values = vec![0.0; matrix.values.len()];
            for (row, numbers) in matrix.values.chunks_exact(hidden).enumerate() {
                values[square_major(row, narrow) * hidden..][..hidden].copy_from_slice(numbers);
            }
            matrix.values = values;
        }
        let found = self.dense(&format!("{name}.last"), last_w, Some(last_b), (hidden, 1.0))?;
        if found == outputs {
            return Ok([narrow, hidden]);
        }
        Err(Lc0Problem::Size { layer: last_b.1.into(), found, expected: outputs.to_string() })
    }
}

/// lc0's position map (`kPosEncoding`): -1 for a square itself, 1 for those that a queen or a knight on it reaches on an empty board.
fn position(square: usize, other: usize) -> f32 {
    if square == other {
        return -1.0;
    }
    if Lc0Moves1858::index_of_step(square, other, None).is_some() { 1.0 } else { 0.0 }
}
