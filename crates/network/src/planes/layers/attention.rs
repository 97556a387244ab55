//! Attention among the 64 squares of a board.

use serde::{Deserialize, Serialize};

use super::{Activation, Convolution, Dense, Flatten, Kind, LayerNorm, Shape, operation::Operation};
use crate::{
    NetworkError,
    parameter::Gain,
    planes::{
        layers::{Builder, Export, Operator, flatten::Unflatten},
        onnx_graph::{Value, integer, integers},
    },
};

const SQUARES: usize = 64;

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
    fn check(&self) -> Result<(), (&'static str, usize, &'static str)> {
        if !(1..=256).contains(&self.heads) {
            return Err(("heads", self.heads, "1 to 256"));
        }
        if let Some(depth) = self.depth.filter(|depth| !(1..=16_384).contains(depth)) {
            return Err(("depth", depth, "1 to 16384"));
        }
        let Some(smolgen) = &self.smolgen else { return Ok(()) };
        for (key, found, most, expected) in [
            ("smolgen.channels", smolgen.channels, 1024, "1 to 1024"),
            ("smolgen.hidden", smolgen.hidden, 16_384, "1 to 16384"),
            ("smolgen.size", smolgen.size, 4096, "1 to 4096"),
        ] {
            if !(1..=most).contains(&found) {
                return Err((key, found, expected));
            }
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
        let named = |part: &str| format!("{name}.{part}");
        let norm = LayerNorm::or_default(self.epsilon);
        let activation = self.activation.unwrap_or(builder.activation);
        let narrow = builder.add(&named("narrow"), Convolution::plain(1, self.channels), &[input])?;
        let mut place = builder.add(&named("flat"), Flatten {}, &[narrow])?;
        for (part, units) in [("first", self.hidden), ("second", heads * self.size)] {
            let sums = builder.add(&named(part), Dense::hidden(units), &[place])?;
            let active = builder.add(&named(&format!("{part}.activated")), activation, &[sums])?;
            place = builder.add(&named(&format!("{part}.norm")), norm, &[active])?;
        }
        let each = Unflatten(Shape { channels: self.size, ranks: heads, files: 1 });
        let each = builder.add(&named("heads"), each, &[place])?;
        let scores = Convolution { gain: Gain::Output, ..Convolution::plain(1, SQUARES * SQUARES) };
        let scores = builder.add(&named("scores"), scores, &[each])?;
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
    fn check(&self) -> Result<(), (&'static str, usize, &'static str)> {
        self.attention().check()?;
        if !(1..=16_384).contains(&self.hidden) {
            return Err(("hidden", self.hidden, "1 to 16384"));
        }
        super::residual::check_copies(self.repeat)
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let norm = LayerNorm::or_default(self.epsilon);
        let activation = self.activation.unwrap_or(builder.activation);
        let channels = builder.shape(input).channels;
        let mut input = input;
        for copy in 0..self.repeat {
            let name = super::residual::copy_name(name, copy, self.repeat);
            let named = |part: &str| format!("{name}.{part}");
            let inner = self.attention().append(builder, &named("attention"), input)?;
            let sum = builder.sum(&named("attended"), [inner, input], None)?;
            let middle = builder.add(&named("middle"), norm, &[sum])?;
            let wide = builder.add(&named("first"), Convolution::pointwise(self.hidden), &[middle])?;
            let wide = builder.add(&named("first.activated"), activation, &[wide])?;
            let inner = builder.add(&named("second"), Convolution::pointwise(channels), &[wide])?;
            let sum = builder.sum(&named("fed"), [inner, middle], None)?;
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

impl Operation for Attend {
    fn describe(&self) -> String {
        format!("attention of {} heads", self.heads)
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        let fits = |shape: &Shape| {
            *shape == Shape::board(shape.channels) && shape.channels.is_multiple_of(self.heads)
        };
        if inputs[..3].iter().all(fits) {
            return Ok(inputs[2]);
        }
        Err(format!("8x8 squares with channels in {} equal heads", self.heads))
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let (heads, shape) = (self.heads as i64, export.shapes[2]);
        let each = (export.shapes[0].channels / self.heads) as f32;
        let split = |export: &mut Export<'_>, part: &str, number: usize| {
            let each = (export.shapes[number].channels / self.heads) as i64;
            let source = export.input(number);
            export.reshape_to(part, &source, &[0, heads, each, SQUARES as i64])
        };
        let turned = |export: &mut Export<'_>, part: &str, value: Value| {
            export.step(part, "Transpose", &[value], vec![integers("perm", &[0, 1, 3, 2])])
        };
        let queries = split(export, "queries.heads", 0);
        let queries = turned(export, "queries.turned", queries);
        let keys = split(export, "keys.heads", 1);
        let products = export.step("products", "MatMul", &[queries, keys], Vec::new());
        let scale = export.constant("scale", &[1], vec![1.0 / each.sqrt()]);
        let mut scores = export.step("scores", "Mul", &[products, scale], Vec::new());
        if self.bias {
            let bias = export.input(3);
            let bias = export.reshape_to("bias", &bias, &[0, heads, SQUARES as i64, SQUARES as i64]);
            scores = export.step("biased", "Add", &[scores, bias], Vec::new());
        }
        let shares = export.step("shares", "Softmax", &[scores], vec![integer("axis", -1)]);
        let values = split(export, "values.heads", 2);
        let values = turned(export, "values.turned", values);
        let mixed = export.step("mixed", "MatMul", &[shares, values], Vec::new());
        let mixed = turned(export, "mixed.turned", mixed);
        export.reshape(&mixed, shape)
    }

    fn operator(&self) -> Operator {
        Operator::Attention { heads: self.heads, bias: self.bias }
    }
}
