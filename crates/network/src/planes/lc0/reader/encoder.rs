//! The layers of an attention body or policy.

use chess::encoding::SQUARES;

use super::{
    DenseLayer, Reader,
    attention::{LARGE_EPSILON, entry},
    missing,
};
use crate::{
    planes::{
        layers::{Encoder, Entry, LayerKind, Smolgen},
        lc0::{
            error::Lc0Problem,
            layer::expect_count,
            message::{self, EncoderLayer, FeedForward, Layer},
        },
    },
    spec::Activation,
};

/// The settings that all layers of an encoder share.
#[derive(Clone, Copy)]
pub(super) struct EncoderShape {
    pub(super) channels: usize,
    pub(super) heads: usize,
    /// Factor of the output of a branch.
    pub(super) share: f32,
    pub(super) epsilon: f32,
    /// Between the two dense layers.
    pub(super) activation: Activation,
}

impl Reader {
    /// Two dense layers for each square; returns the channels between them.
    pub(super) fn feed_forward(
        &mut self,
        [first, second]: [&str; 2],
        (layer, name): (&FeedForward, &str),
        channels: usize,
        share: f32,
    ) -> Result<usize, Lc0Problem> {
        let named = |field: &str| format!("{name}.{field}");
        let [w1, b1, w2, b2] = ["dense1_w", "dense1_b", "dense2_w", "dense2_b"].map(named);
        let (weights, bias) =
            ((layer.dense1_w.as_deref(), w1.as_str()), (layer.dense1_b.as_deref(), b1.as_str()));
        let hidden = self.dense(first, &DenseLayer::new(weights, bias, channels))?;
        let (weights, bias) =
            ((layer.dense2_w.as_deref(), w2.as_str()), (layer.dense2_b.as_deref(), b2.as_str()));
        let scaled = DenseLayer { factor: share, ..DenseLayer::new(weights, bias, hidden) };
        let outputs = self.dense(second, &scaled)?;
        expect_count(&b2, outputs, channels)?;
        Ok(hidden)
    }

    pub(super) fn encoder(
        &mut self,
        (layer, what, number): (&EncoderLayer, &str, usize),
        shape: EncoderShape,
        smolgen_w: Option<&Layer>,
    ) -> Result<Entry, Lc0Problem> {
        let EncoderShape { channels, heads, share, epsilon, activation } = shape;
        let (name, theirs) = (format!("{what}{number}"), format!("{what}[{number}]"));
        let mha = layer.mha.as_deref().ok_or_else(|| missing(&format!("{theirs}.mha")))?;
        if mha.rpe_q.is_some() || mha.rpe_k.is_some() || mha.rpe_v.is_some() {
            return Err(Lc0Problem::Unsupported {
                what: "attention with",
                found: format!("relative position encodings in {theirs}"),
                supported: "smolgen and none".into(),
            });
        }
        let named = |field: &str| format!("{theirs}.mha.{field}");
        let mut depths = Vec::new();
        for (part, field, weight, bias) in [
            ("queries", "q", &mha.q_w, &mha.q_b),
            ("keys", "k", &mha.k_w, &mha.k_b),
            ("values", "v", &mha.v_w, &mha.v_b),
        ] {
            let (weight_name, bias_name) = (named(&format!("{field}_w")), named(&format!("{field}_b")));
            let weight = (weight.as_deref(), weight_name.as_str());
            let bias = (bias.as_deref(), bias_name.as_str());
            let to = format!("{name}.attention.{part}");
            depths.push(self.dense(&to, &DenseLayer::new(weight, bias, channels))?);
        }
        let depth = depths[0];
        for (field, found) in ["k_b", "v_b"].into_iter().zip(&depths[1..]) {
            expect_count(&named(field), *found, depth)?;
        }
        let smolgen = match &mha.smolgen {
            None => None,
            Some(smolgen) => Some(self.smolgen(
                (smolgen, &named("smolgen"), &format!("{name}.attention.smolgen")),
                (channels, heads),
                smolgen_w,
            )?),
        };
        let [weights, bias] = ["dense_w", "dense_b"].map(named);
        let (weights, bias_layer) =
            ((mha.dense_w.as_deref(), weights.as_str()), (mha.dense_b.as_deref(), bias.as_str()));
        let scaled = DenseLayer { factor: share, ..DenseLayer::new(weights, bias_layer, depth) };
        let outputs = self.dense(&format!("{name}.attention"), &scaled)?;
        expect_count(&bias, outputs, channels)?;
        let first = [&layer.ln1_gammas, &layer.ln1_betas].map(|layer| layer.as_deref());
        self.norm(&format!("{name}.middle"), first, &format!("{theirs}.ln1"), channels)?;
        let ffn = layer.ffn.as_deref().ok_or_else(|| missing(&format!("{theirs}.ffn")))?;
        let parts = [format!("{name}.first"), format!("{name}.second")];
        let parts = [parts[0].as_str(), parts[1].as_str()];
        let hidden = self.feed_forward(parts, (ffn, &format!("{theirs}.ffn")), channels, share)?;
        let second = [&layer.ln2_gammas, &layer.ln2_betas].map(|layer| layer.as_deref());
        self.norm(&name, second, &format!("{theirs}.ln2"), channels)?;
        let encoder = Encoder {
            heads,
            depth: (depth != channels).then_some(depth),
            hidden,
            activation: Some(activation),
            smolgen,
            epsilon: Some(epsilon),
            repeat: 1,
        };
        Ok(entry(&name, LayerKind::Encoder(encoder)))
    }

    fn smolgen(
        &mut self,
        (layer, theirs, name): (&message::Smolgen, &str, &str),
        (channels, heads): (usize, usize),
        smolgen_w: Option<&Layer>,
    ) -> Result<Smolgen, Lc0Problem> {
        let named = |field: &str| format!("{theirs}.{field}");
        let [compress, w1, b1, w2, b2] =
            ["compress", "dense1_w", "dense1_b", "dense2_w", "dense2_b"].map(named);
        let narrow = DenseLayer::without_bias((layer.compress.as_deref(), &compress), channels);
        let narrow = self.dense(&format!("{name}.narrow"), &narrow)?;
        let (weights, bias) =
            ((layer.dense1_w.as_deref(), w1.as_str()), (layer.dense1_b.as_deref(), b1.as_str()));
        let first = DenseLayer::new(weights, bias, SQUARES * narrow);
        let hidden = self.dense(&format!("{name}.first"), &first)?;
        let norm = [&layer.ln1_gammas, &layer.ln1_betas].map(|layer| layer.as_deref());
        self.norm(&format!("{name}.first.norm"), norm, &named("ln1"), hidden)?;
        let (weights, bias) =
            ((layer.dense2_w.as_deref(), w2.as_str()), (layer.dense2_b.as_deref(), b2.as_str()));
        let made = self.dense(&format!("{name}.second"), &DenseLayer::new(weights, bias, hidden))?;
        let norm = [&layer.ln2_gammas, &layer.ln2_betas].map(|layer| layer.as_deref());
        self.norm(&format!("{name}.second.norm"), norm, &named("ln2"), made)?;
        let size = made / heads.max(1);
        if heads == 0 || size * heads != made {
            let expected = format!("a multiple of the {heads} heads");
            return Err(Lc0Problem::Size { layer: b2, found: made, expected });
        }
        let scores = DenseLayer::without_bias((smolgen_w, "smolgen_w"), size);
        let pairs = self.dense(&format!("{name}.scores"), &scores)?;
        if pairs != SQUARES * SQUARES {
            let expected = (SQUARES * SQUARES * size).to_string();
            return Err(Lc0Problem::Size { layer: "smolgen_w".into(), found: pairs * size, expected });
        }
        Ok(Smolgen {
            channels: narrow,
            hidden,
            size,
            activation: Some(self.format.smolgen),
            epsilon: Some(LARGE_EPSILON),
        })
    }
}
