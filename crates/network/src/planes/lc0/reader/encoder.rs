//! The layers of an attention body or policy.

use chess::encoding::SQUARES;

use super::{
    DenseLayer, Field, Reader,
    attention::{LARGE_EPSILON, entry},
    field,
};
use crate::{
    planes::{
        layers::{Encoder, Entry, LayerKind, Smolgen},
        lc0::{
            error::Lc0Problem,
            message::{self, EncoderLayer, FeedForward, Layer},
        },
    },
    spec::Activation,
};

/// The settings that all layers of an encoder share.
#[derive(Clone, Copy)]
pub(super) struct EncoderShape<'a> {
    /// lc0's name of the list of layers, with which the names of ours begin too.
    pub(super) name: &'static str,
    pub(super) channels: usize,
    pub(super) heads: usize,
    /// Factor of the output of a branch.
    pub(super) share: f32,
    pub(super) epsilon: f32,
    /// Between the two dense layers.
    pub(super) activation: Activation,
    /// The last layer of smolgen, which the whole network has only once; ours has a copy in every layer.
    pub(super) smolgen: Option<&'a Layer>,
}

impl Reader {
    /// Two dense layers for each square, with the names `first` and `second`; returns the channels between them.
    pub(super) fn feed_forward(
        &mut self,
        [first, second]: [&str; 2],
        layers: &Field<'_, FeedForward>,
        channels: usize,
        share: f32,
    ) -> Result<usize, Lc0Problem> {
        let Field { value, name: theirs } = layers;
        let layers = value.ok_or_else(|| Lc0Problem::missing(theirs))?;
        let (weights, bias) = (field!(layers.dense1_w in theirs), field!(layers.dense1_b in theirs));
        let hidden = self.dense(first, &DenseLayer::new(weights, bias, channels))?;
        let (weights, bias) = (field!(layers.dense2_w in theirs), field!(layers.dense2_b in theirs));
        let scaled = DenseLayer { factor: share, ..DenseLayer::new(weights, bias, hidden) };
        self.dense_to(second, &scaled, channels)?;
        Ok(hidden)
    }

    /// Layer `number` of an encoder.
    pub(super) fn encoder(
        &mut self,
        layer: &EncoderLayer,
        number: usize,
        shape: EncoderShape<'_>,
    ) -> Result<Entry, Lc0Problem> {
        let EncoderShape { channels, heads, share, epsilon, activation, .. } = shape;
        let (name, theirs) = (format!("{}{number}", shape.name), format!("{}[{number}]", shape.name));
        let mha_name = format!("{theirs}.mha");
        let mha = layer.mha.as_deref().ok_or_else(|| Lc0Problem::missing(&mha_name))?;
        if mha.rpe_q.is_some() || mha.rpe_k.is_some() || mha.rpe_v.is_some() {
            return Err(Lc0Problem::Unsupported {
                what: "attention with",
                found: format!("relative position encodings in {theirs}"),
                supported: "smolgen and none".into(),
            });
        }
        let queries = DenseLayer::new(field!(mha.q_w in mha_name), field!(mha.q_b in mha_name), channels);
        let depth = self.dense(&format!("{name}.attention.queries"), &queries)?;
        let keys = DenseLayer::new(field!(mha.k_w in mha_name), field!(mha.k_b in mha_name), channels);
        self.dense_to(&format!("{name}.attention.keys"), &keys, depth)?;
        let values = DenseLayer::new(field!(mha.v_w in mha_name), field!(mha.v_b in mha_name), channels);
        self.dense_to(&format!("{name}.attention.values"), &values, depth)?;
        let smolgen = match &mha.smolgen {
            None => None,
            Some(smolgen) => {
                let name = format!("{name}.attention.smolgen");
                Some(self.smolgen(smolgen, &format!("{mha_name}.smolgen"), &name, shape)?)
            }
        };
        let (weights, bias) = (field!(mha.dense_w in mha_name), field!(mha.dense_b in mha_name));
        let scaled = DenseLayer { factor: share, ..DenseLayer::new(weights, bias, depth) };
        self.dense_to(&format!("{name}.attention"), &scaled, channels)?;
        let first = [field!(layer.ln1_gammas in theirs), field!(layer.ln1_betas in theirs)];
        self.norm(&format!("{name}.middle"), first, channels)?;
        let (first, second) = (format!("{name}.first"), format!("{name}.second"));
        let ffn = field!(layer.ffn in theirs);
        let hidden = self.feed_forward([&first, &second], &ffn, channels, share)?;
        let second = [field!(layer.ln2_gammas in theirs), field!(layer.ln2_betas in theirs)];
        self.norm(&name, second, channels)?;
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
        layer: &message::Smolgen,
        theirs: &str,
        name: &str,
        shape: EncoderShape<'_>,
    ) -> Result<Smolgen, Lc0Problem> {
        let EncoderShape { channels, heads, .. } = shape;
        let narrow = DenseLayer::without_bias(field!(layer.compress in theirs), channels);
        let narrow = self.dense(&format!("{name}.narrow"), &narrow)?;
        let (weights, bias) = (field!(layer.dense1_w in theirs), field!(layer.dense1_b in theirs));
        let first = DenseLayer::new(weights, bias, SQUARES * narrow);
        let hidden = self.dense(&format!("{name}.first"), &first)?;
        let norm = [field!(layer.ln1_gammas in theirs), field!(layer.ln1_betas in theirs)];
        self.norm(&format!("{name}.first.norm"), norm, hidden)?;
        let (weights, bias) = (field!(layer.dense2_w in theirs), field!(layer.dense2_b in theirs));
        let made = self.dense(&format!("{name}.second"), &DenseLayer::new(weights, bias, hidden))?;
        let norm = [field!(layer.ln2_gammas in theirs), field!(layer.ln2_betas in theirs)];
        self.norm(&format!("{name}.second.norm"), norm, made)?;
        let size = made / heads.max(1);
        if heads == 0 || size * heads != made {
            let expected = format!("a multiple of the {heads} heads");
            return Err(Lc0Problem::Size { layer: format!("{theirs}.dense2_b"), found: made, expected });
        }
        let scores = Field { value: shape.smolgen, name: "smolgen_w".into() };
        let pairs = self.dense(&format!("{name}.scores"), &DenseLayer::without_bias(scores, size))?;
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
