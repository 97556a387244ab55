//! Layers with a skip connection.

use serde::{Deserialize, Serialize};

use super::{
    Activation, Builder, Convolution, Entry, Export, Kind, Operator, Shape, Unfit, check_within,
    operation::Operation,
};
use crate::{NetworkError, planes::onnx_graph::Value};

/// Limit on `repeat`, so that a typing mistake does not exhaust memory; KataGo's deepest networks have 60 blocks.
pub(super) const MOST_COPIES: usize = 64;

/// Layers with a skip connection: their input, or the output of an earlier layer, is added to their output (He et al.,
/// arXiv 1512.03385).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    /// The layers of the branch.
    pub layers: Vec<Entry>,
    /// Name of the layer whose output is added. Default: the layer before the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// True for a 1x1 convolution with bias on the skip connection, with the stride that makes the sizes
    /// equal. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub projection: bool,
    /// True if an activation follows the sum. Default true.
    #[serde(default = "crate::spec::yes")]
    pub activate: bool,
    /// Number of copies of the block in a row, 1 to 64. Default 1.
    #[serde(default = "crate::default_to::<1, _>")]
    pub repeat: usize,
}

impl Kind for Residual {
    fn check(&self) -> Result<(), Unfit> {
        check_within("repeat", self.repeat, 1..=MOST_COPIES)
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let mut input = input;
        for copy in 0..self.repeat {
            let name = copy_name(name, copy, self.repeat);
            let mut skipped = match &self.from {
                Some(from) => builder.find(from, &name)?,
                None => input,
            };
            let inner = builder.sequence(&self.layers, &name, input)?;
            if self.projection {
                let layer = Convolution { bias: true, ..builder.projection(skipped, inner) };
                skipped = builder.add(&format!("{name}.projection"), layer, &[skipped])?;
            }
            input = builder.sum(&name, [inner, skipped], self.activate.then_some(builder.activation))?;
        }
        Ok(input)
    }
}

/// The name of a copy. A single block keeps its name.
pub(super) fn copy_name(name: &str, copy: usize, copies: usize) -> String {
    if copies == 1 { name.into() } else { format!("{name}.{copy}") }
}

/// The bottleneck block of ResNet-50 (arXiv 1512.03385, figure 5): 1x1, 3x3 and 1x1 convolutions with batch normalisation,
/// with the stride in the second as in torchvision. If shapes differ, the skip connection is a 1x1 convolution with batch
/// normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bottleneck {
    /// Number of channels of the first two convolutions; the last has four times as many.
    pub channels: usize,
    /// Stride of the 3x3 convolution of the first copy. Default 1.
    #[serde(default = "crate::default_to::<1, _>")]
    pub stride: usize,
    /// Number of copies of the block in a row, 1 to 64. Default 1.
    #[serde(default = "crate::default_to::<1, _>")]
    pub repeat: usize,
}

impl Kind for Bottleneck {
    fn check(&self) -> Result<(), Unfit> {
        check_within("channels", self.channels, 1..=16_384)?;
        check_within("stride", self.stride, 1..=15)?;
        check_within("repeat", self.repeat, 1..=MOST_COPIES)
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let mut input = input;
        for copy in 0..self.repeat {
            let name = copy_name(name, copy, self.repeat);
            let stride = if copy == 0 { self.stride } else { 1 };
            let wide = Convolution::plain(1, 4 * self.channels);
            let middle = Convolution { stride, ..Convolution::plain(3, self.channels) };
            let first = Convolution::plain(1, self.channels);
            let mut inner = builder.activated(&format!("{name}.first"), first, input)?;
            inner = builder.activated(&format!("{name}.second"), middle, inner)?;
            inner = builder.normalised(&format!("{name}.third"), wide, inner)?;
            let skipped = if builder.shape(input) == builder.shape(inner) {
                input
            } else {
                let layer = builder.projection(input, inner);
                builder.normalised(&format!("{name}.projection"), layer, input)?
            };
            input = builder.sum(&name, [inner, skipped], Some(builder.activation))?;
        }
        Ok(input)
    }
}

impl Builder<'_> {
    /// A 1x1 convolution without bias, from one place to the channels and board size of another.
    fn projection(&self, from: usize, to: usize) -> Convolution {
        let (source, target) = (self.shape(from), self.shape(to));
        let stride = source.ranks.div_ceil(target.ranks);
        Convolution { stride, ..Convolution::plain(1, target.channels) }
    }

    /// The sum of two places, with an optional activation.
    pub(crate) fn sum(
        &mut self,
        name: &str,
        terms: [usize; 2],
        activation: Option<Activation>,
    ) -> Result<usize, NetworkError> {
        let Some(activation) = activation else { return self.add(name, Sum, &terms) };
        let sum = self.add(&format!("{name}.sum"), Sum, &terms)?;
        self.add(name, activation, &[sum])
    }
}

/// The sum of two layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum;

impl Operation for Sum {
    fn describe(&self) -> String {
        "sum with a skip connection".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if inputs[0] == inputs[1] {
            return Ok(inputs[0]);
        }
        Err(format!("{0} and {0}: a projection makes them equal", inputs[0]))
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let terms = [export.input(0), export.input(1)];
        export.node("Add", &terms, Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::Sum
    }
}
