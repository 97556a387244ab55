//! Attention bodies with one or several heads, and attention policies.

use chess::encoding::{SQUARES, moves::Lc0Moves1858};

use super::{DenseLayer, PLANES, Reader, encoder::EncoderShape, field, missing, transposed};
use crate::{
    planes::{
        layers::{
            Activate, Convolution, DenseEmbedding, Entry, LayerKind, LayerNorm, Residual, SquareAffine,
        },
        lc0::{
            error::Lc0Problem,
            format::Embedding,
            layer::{expect_count, expect_len, optional, required},
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

fn activation(name: &str, function: Activation) -> Entry {
    entry(name, LayerKind::Activation(Activate { function: Some(function) }))
}

fn pointwise(name: &str, channels: usize) -> Entry {
    entry(name, LayerKind::Convolution(Convolution::pointwise(channels)))
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
            self.norm("embedding-norm", norm, "ip_emb_ln", channels)?;
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
        // DeepNorm (Wang et al., arXiv 2203.00555): the output of a branch is scaled down with the number of
        // layers.
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
            self.norm("embedding-ffn-norm", norm, "ip_emb_ffn_ln", channels)?;
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
        let mut layers =
            vec![pointwise("policy-embedding", embedding), activation("policy-embedded", function)];
        let shape = EncoderShape {
            channels: embedding,
            heads: head.pol_headcount.unwrap_or_default() as usize,
            share: 1.0,
            epsilon: SMALL_EPSILON,
            activation: if self.format.attention_body { self.format.ffn } else { Activation::Selu },
        };
        for (number, layer) in head.pol_encoder.iter().enumerate() {
            layers.push(self.encoder((layer, "pol_encoder", number), shape, weights.smolgen_w.as_deref())?);
        }
        let mut depths = Vec::new();
        for (part, weights, bias) in [
            ("queries", field!(head.ip2_pol_w), field!(head.ip2_pol_b)),
            ("keys", field!(head.ip3_pol_w), field!(head.ip3_pol_b)),
        ] {
            depths.push(self.dense(&format!("policy.{part}"), &DenseLayer::new(weights, bias, embedding))?);
        }
        let depth = depths[0];
        expect_count("ip3_pol_b", depths[1], depth)?;
        let promotions = DenseLayer::without_bias(field!(head.ip4_pol_w), depth);
        let promotions = self.dense("policy.promotions", &promotions)?;
        expect_count("ip4_pol_w", promotions, 4)?;
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
