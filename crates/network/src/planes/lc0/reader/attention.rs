//! Attention bodies with one or several heads, and attention policies.

use chess::encoding::{SQUARES, moves::Lc0Moves1858};

use super::{DenseLayer, Field, PLANES, Reader, encoder::EncoderShape, field, transposed};
use crate::{
    planes::{
        layers::{
            Activate, Convolution, DenseEmbedding, Entry, LayerKind, LayerNorm, Residual, SquareAffine,
        },
        lc0::{
            error::Lc0Problem,
            format::Embedding,
            layer::{expect_len, optional, required},
            message::Weights,
        },
    },
    spec::{self, Activation, Body},
};

/// The planes of the position itself, from which a dense embedding is made.
const PIECES: usize = 12;

/// Epsilon of smolgen and of bodies with a dense embedding, and that of the others.
pub(super) const LARGE_EPSILON: f32 = 1e-3;
const SMALL_EPSILON: f32 = 1e-6;

pub(super) fn entry(name: &str, layer: LayerKind) -> Entry {
    Entry { name: Some(name.into()), layer }
}

fn activation(function: Activation) -> LayerKind {
    LayerKind::Activation(Activate { function: Some(function) })
}

fn pointwise(channels: usize) -> LayerKind {
    LayerKind::Convolution(Convolution::pointwise(channels))
}

fn large_norm() -> LayerKind {
    LayerKind::LayerNorm(LayerNorm { epsilon: LARGE_EPSILON })
}

impl Reader {
    /// The layers between planes and heads; also returns their channels.
    pub(super) fn attention_body(&mut self, weights: &Weights) -> Result<(Body, usize), Lc0Problem> {
        if !weights.residual.is_empty() {
            return Err(Lc0Problem::Unsupported {
                what: "body of encoder layers after",
                found: format!("{} residual blocks", weights.residual.len()),
                supported: "encoder layers alone".into(),
            });
        }
        let format = self.format;
        let is_dense = format.embedding == Embedding::Dense;
        let mut body = Vec::new();
        let mut inputs = PLANES;
        if is_dense {
            let (weight, bias) = (field!(weights.ip_emb_preproc_w), field!(weights.ip_emb_preproc_b));
            let layer = DenseLayer::new(weight, bias, SQUARES * PIECES);
            let outputs = self.dense("preprocess.dense", &layer)?;
            let channels = outputs / SQUARES;
            inputs += channels;
            let layer = DenseEmbedding { read: PIECES, channels };
            body.push(entry("preprocess", LayerKind::DenseEmbedding(layer)));
        }
        let channels = self.embedding(weights, inputs)?;
        body.push(entry("embedding", pointwise(channels)));
        if format.embedding == Embedding::Map {
            let layer = SquareAffine { scale: false, shift: true };
            body.push(entry("positions", LayerKind::SquareAffine(layer)));
        }
        body.push(entry("embedded", activation(format.activation)));
        if is_dense {
            let norm = [field!(weights.ip_emb_ln_gammas), field!(weights.ip_emb_ln_betas)];
            self.norm("embedding-norm", norm, channels)?;
            body.push(entry("embedding-norm", large_norm()));
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
        // DeepNorm (Wang et al., arXiv 2203.00555): the output of a branch is scaled down with the number of
        // layers.
        let share = (2.0 * weights.encoder.len() as f32).powf(-0.25);
        if is_dense {
            let parts = ["embedding-ffn.0", "embedding-ffn.2"];
            let hidden = self.feed_forward(parts, &field!(weights.ip_emb_ffn), channels, share)?;
            let layers = [pointwise(hidden), activation(format.ffn), pointwise(channels)];
            let layers = layers.map(|layer| Entry { name: None, layer }).into();
            let residual = Residual { layers, from: None, projection: false, activate: false, repeat: 1 };
            body.push(entry("embedding-ffn", LayerKind::Residual(residual)));
            let norm = [field!(weights.ip_emb_ffn_ln_gammas), field!(weights.ip_emb_ffn_ln_betas)];
            self.norm("embedding-ffn-norm", norm, channels)?;
            body.push(entry("embedding-ffn-norm", large_norm()));
        }
        let shape = EncoderShape {
            name: "encoder",
            channels,
            heads: weights.headcount.unwrap_or_default() as usize,
            share,
            epsilon: if is_dense { LARGE_EPSILON } else { SMALL_EPSILON },
            activation: format.ffn,
            smolgen: weights.smolgen_w.as_deref(),
        };
        for (number, layer) in weights.encoder.iter().enumerate() {
            body.push(self.encoder(layer, number, shape)?);
        }
        Ok((Body::Layers(body), channels))
    }

    /// The dense layer from planes to channels.
    ///
    /// lc0 appends to the planes of a square its row of the position map, which is the same in every position: 64 constants. The
    /// rows of the weights that read them therefore add a constant to each channel of the square, and become the matrix of a
    /// [`SquareAffine`] layer. The result is the same sum with its terms in another order.
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

    /// The policy that scores pairs of squares.
    pub(super) fn attention_policy(
        &mut self,
        weights: &Weights,
        channels: usize,
    ) -> Result<spec::PolicyHead, Lc0Problem> {
        let head = self.heads.policy(self.format.several_heads, weights)?;
        let function = if self.format.attention_body { self.format.activation } else { Activation::Selu };
        let layer = DenseLayer::new(field!(head.ip_pol_w), field!(head.ip_pol_b), channels);
        let embedding = self.dense("policy-embedding", &layer)?;
        let mut layers = vec![
            entry("policy-embedding", pointwise(embedding)),
            entry("policy-embedded", activation(function)),
        ];
        let shape = EncoderShape {
            name: "pol_encoder",
            channels: embedding,
            heads: head.pol_headcount.unwrap_or_default() as usize,
            share: 1.0,
            epsilon: SMALL_EPSILON,
            activation: if self.format.attention_body { self.format.ffn } else { Activation::Selu },
            smolgen: weights.smolgen_w.as_deref(),
        };
        for (number, layer) in head.pol_encoder.iter().enumerate() {
            layers.push(self.encoder(layer, number, shape)?);
        }
        let queries = DenseLayer::new(field!(head.ip2_pol_w), field!(head.ip2_pol_b), embedding);
        let depth = self.dense("policy.queries", &queries)?;
        let keys = DenseLayer::new(field!(head.ip3_pol_w), field!(head.ip3_pol_b), embedding);
        self.dense_to("policy.keys", &keys, depth)?;
        let promotions = DenseLayer::without_bias(field!(head.ip4_pol_w), depth);
        self.dense_to("policy.promotions", &promotions, 4)?;
        Ok(spec::PolicyHead::Attention { depth, layers })
    }
}

/// lc0's position map (`kPosEncoding`): -1 for a square itself, 1 for those that a queen or a knight on it reaches on an empty board.
fn position(square: usize, other: usize) -> f32 {
    if square == other {
        return -1.0;
    }
    if Lc0Moves1858::index_of_step(square, other, None).is_some() { 1.0 } else { 0.0 }
}
