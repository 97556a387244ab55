//! Attention among the 64 squares of a board.

use chess::encoding::SQUARES;
use serde::{Deserialize, Serialize};

use super::{
    Activation, Convolution, Dense, Flatten, Kind, LayerNorm, Shape, Unfit, check_within,
    operation::Operation,
    residual::{MOST_COPIES, copy_name},
};
use crate::{
    NetworkError,
    parameter::Gain,
    planes::{
        layers::{Builder, Export, Operator, flatten::Unflatten},
        onnx_graph::{Value, integer, integers},
    },
};

/// Multi-head attention (Vaswani et al., arXiv 1706.03762) among the 64 squares, with projections to and from the heads. Without a
/// [`SquareAffine`](super::SquareAffine) before it and without [`Smolgen`] it cannot distinguish squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attention {
    /// Number of heads.
    pub heads: usize,
    /// Channels of queries, keys and values, all heads together. Default: those of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Scores for pairs of squares, computed from the whole board. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smolgen: Option<Smolgen>,
}

/// lc0's *smolgen*: for each head a score for each pair of squares, from the whole board (`network_blas.cc` of lc0; Monroe and
/// Chalmers, arXiv 2409.12272, section 3.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smolgen {
    /// Channels of each square that are read, 1 to 1,024.
    pub channels: usize,
    /// Units of the hidden layer, 1 to 16,384.
    pub hidden: usize,
    /// Length of each head's vector from which its scores are computed, 1 to 4,096.
    pub size: usize,
    /// The activation after both layers. Default: the network's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<Activation>,
    /// Its layer normalisations' epsilon. Default 1e-5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f32>,
}

impl Kind for Attention {
    fn check(&self) -> Result<(), Unfit> {
        check_within("heads", self.heads, 1..=256)?;
        if let Some(depth) = self.depth {
            check_within("depth", depth, 1..=16_384)?;
        }
        if let Some(smolgen) = &self.smolgen {
            check_within("smolgen.channels", smolgen.channels, 1..=1024)?;
            check_within("smolgen.hidden", smolgen.hidden, 1..=16_384)?;
            check_within("smolgen.size", smolgen.size, 1..=4096)?;
        }
        Ok(())
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let channels = builder.shape(input).channels;
        let depth = Convolution::pointwise(self.depth.unwrap_or(channels));
        let mut inputs = Vec::new();
        for part in ["queries", "keys", "values"] {
            inputs.push(builder.add(&format!("{name}.{part}"), depth, &[input])?);
        }
        if let Some(smolgen) = &self.smolgen {
            inputs.push(smolgen.append(builder, &format!("{name}.smolgen"), self.heads, input)?);
        }
        let attend = Attend { heads: self.heads, bias: self.smolgen.is_some() };
        let mixed = builder.add(&format!("{name}.mixed"), attend, &inputs)?;
        builder.add(name, Convolution::pointwise(channels), &[mixed])
    }
}

impl Smolgen {
    fn append(
        &self,
        builder: &mut Builder<'_>,
        name: &str,
        heads: usize,
        input: usize,
    ) -> Result<usize, NetworkError> {
        let norm = LayerNorm::or_default(self.epsilon);
        let activation = self.activation.unwrap_or(builder.activation);
        let narrow = Convolution::plain(1, self.channels);
        let narrow = builder.add(&format!("{name}.narrow"), narrow, &[input])?;
        let mut place = builder.add(&format!("{name}.flat"), Flatten {}, &[narrow])?;
        for (part, units) in [("first", self.hidden), ("second", heads * self.size)] {
            let sums = builder.add(&format!("{name}.{part}"), Dense::hidden(units), &[place])?;
            let active = builder.add(&format!("{name}.{part}.activated"), activation, &[sums])?;
            place = builder.add(&format!("{name}.{part}.norm"), norm, &[active])?;
        }
        // A board of one file on which each head has a square: then the 1x1 convolution is one matrix for all heads, as in
        // lc0, and the rows of its output are the scores head by head.
        let each = Unflatten(Shape { channels: self.size, ranks: heads, files: 1 });
        let each = builder.add(&format!("{name}.heads"), each, &[place])?;
        let scores = Convolution { gain: Gain::Output, ..Convolution::plain(1, SQUARES * SQUARES) };
        let scores = builder.add(&format!("{name}.scores"), scores, &[each])?;
        builder.add(name, Flatten {}, &[scores])
    }
}

/// A layer of a transformer's encoder, as lc0's attention bodies have them: attention and two 1x1 convolutions, each with a skip connection
/// and a layer normalisation after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoder {
    /// Number of heads.
    pub heads: usize,
    /// Channels of queries, keys and values, all heads together. Default: those of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Channels between the two convolutions, 1 to 16,384.
    pub hidden: usize,
    /// The activation between them. Default: the network's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<Activation>,
    /// Scores from the whole board, computed separately by each copy. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smolgen: Option<Smolgen>,
    /// The layer normalisations' epsilon. Default 1e-5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f32>,
    /// Number of copies in a row, 1 to 64. Default 1.
    #[serde(default = "crate::default_to::<1, _>")]
    pub repeat: usize,
}

impl Encoder {
    fn attention(&self) -> Attention {
        Attention { heads: self.heads, depth: self.depth, smolgen: self.smolgen.clone() }
    }
}

impl Kind for Encoder {
    fn check(&self) -> Result<(), Unfit> {
        self.attention().check()?;
        check_within("hidden", self.hidden, 1..=16_384)?;
        check_within("repeat", self.repeat, 1..=MOST_COPIES)
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let norm = LayerNorm::or_default(self.epsilon);
        let activation = self.activation.unwrap_or(builder.activation);
        let channels = builder.shape(input).channels;
        let mut input = input;
        for copy in 0..self.repeat {
            let name = copy_name(name, copy, self.repeat);
            let inner = self.attention().append(builder, &format!("{name}.attention"), input)?;
            let sum = builder.sum(&format!("{name}.attended"), [inner, input], None)?;
            let middle = builder.add(&format!("{name}.middle"), norm, &[sum])?;
            let wide = Convolution::pointwise(self.hidden);
            let wide = builder.add(&format!("{name}.first"), wide, &[middle])?;
            let wide = builder.add(&format!("{name}.first.activated"), activation, &[wide])?;
            let inner = builder.add(&format!("{name}.second"), Convolution::pointwise(channels), &[wide])?;
            let sum = builder.sum(&format!("{name}.fed"), [inner, middle], None)?;
            input = builder.add(&name, norm, &[sum])?;
        }
        Ok(input)
    }
}

/// Softmax attention: its inputs are queries, keys, values and, if there is one, the term of the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attend {
    heads: usize,
    bias: bool,
}

impl Attend {
    /// An input `[batch, channels, 8, 8]` as `[batch, heads, channels of a head, squares]`.
    fn split(self, export: &mut Export<'_>, part: &str, number: usize) -> Value {
        let each = (export.shapes[number].channels / self.heads) as i64;
        let source = export.input(number);
        export.reshape_to(part, &source, &[0, self.heads as i64, each, SQUARES as i64])
    }
}

/// A value with its last two dimensions exchanged.
fn turned(export: &mut Export<'_>, part: &str, value: Value) -> Value {
    export.step(part, "Transpose", &[value], vec![integers("perm", &[0, 1, 3, 2])])
}

impl Operation for Attend {
    fn describe(&self) -> String {
        format!("attention of {} heads", self.heads)
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        for shape in &inputs[..3] {
            if *shape != Shape::board(shape.channels) || !shape.channels.is_multiple_of(self.heads) {
                return Err(format!("8x8 squares with channels in {} equal heads", self.heads));
            }
        }
        Ok(inputs[2])
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        // softmax(Q Kᵀ / sqrt(d) + bias) V for each head, with a row for each square. The values between two layers are
        // `[batch, channels, ranks, files]`, and the channels of a head are neighbours, so splitting them is a reshape, and one
        // of the two factors of each product has to be turned.
        let (heads, shape) = (self.heads as i64, export.shapes[2]);
        let each = (export.shapes[0].channels / self.heads) as f32;
        let queries = self.split(export, "queries.heads", 0);
        let queries = turned(export, "queries.turned", queries);
        let keys = self.split(export, "keys.heads", 1);
        let products = export.step("products", "MatMul", &[queries, keys], Vec::new());
        let scale = export.constant("scale", &[1], vec![1.0 / each.sqrt()]);
        let mut scores = export.step("scores", "Mul", &[products, scale], Vec::new());
        if self.bias {
            let bias = export.input(3);
            let bias = export.reshape_to("bias", &bias, &[0, heads, SQUARES as i64, SQUARES as i64]);
            scores = export.step("biased", "Add", &[scores, bias], Vec::new());
        }
        let shares = export.step("shares", "Softmax", &[scores], vec![integer("axis", -1)]);
        let values = self.split(export, "values.heads", 2);
        let values = turned(export, "values.turned", values);
        let mixed = export.step("mixed", "MatMul", &[shares, values], Vec::new());
        let mixed = turned(export, "mixed.turned", mixed);
        export.reshape(&mixed, shape)
    }

    fn operator(&self) -> Operator {
        Operator::Attention { heads: self.heads, bias: self.bias }
    }
}
