//! Convolutions, and the windows that pooling shares with them.

use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Shape, Unfit, check_within,
    operation::{NewParameter, Operation},
};
use crate::{
    NetworkError,
    parameter::{Gain, Role},
    planes::onnx_graph::{Value, integers},
};

/// A convolution with a square kernel and zero padding.
///
/// # Parameters
/// `weight` is `[size * size * inputs, channels]`: row `(rank tap * size + file tap) * inputs + input`. `bias` is
/// `[1, channels]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convolution {
    /// Number of output channels, 1 to 65,536.
    pub channels: usize,
    /// Kernel size: squares along one side, 1 to 15. Default 3.
    #[serde(default = "crate::default_to::<3, _>")]
    pub size: usize,
    /// Stride: squares from one output to the next, 1 to 15. Default 1.
    #[serde(default = "crate::default_to::<1, _>", skip_serializing_if = "is_one")]
    pub stride: usize,
    /// Squares of padding on every side. Default: half the kernel, which keeps a board of 8x8 at stride 1 if the kernel size
    /// is odd.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<usize>,
    /// True if a bias is added to each channel. Default true; before a normalisation it has no effect.
    #[serde(default = "crate::spec::yes")]
    pub bias: bool,
    /// Scale of the initial weights.
    #[serde(skip)]
    pub(crate) gain: Gain,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_one(stride: &usize) -> bool {
    *stride == 1
}

impl Convolution {
    /// A convolution that keeps the board's size. It has no bias because a normalisation follows.
    pub(crate) fn plain(size: usize, channels: usize) -> Self {
        Self { channels, size, stride: 1, padding: None, bias: false, gain: Gain::Hidden }
    }

    /// A dense layer for each square: a 1x1 convolution with bias.
    pub(crate) fn pointwise(channels: usize) -> Self {
        Self { bias: true, ..Self::plain(1, channels) }
    }

    /// The last layer of a head: with bias, and small initial weights.
    pub(crate) fn output(size: usize, channels: usize) -> Self {
        Self { bias: true, gain: Gain::Output, ..Self::plain(size, channels) }
    }

    fn margin(self) -> usize {
        self.padding.unwrap_or(self.size / 2)
    }

    fn window(self) -> Window {
        Window { size: self.size, stride: self.stride, margin: self.margin() }
    }
}

impl Kind for Convolution {
    fn check(&self) -> Result<(), Unfit> {
        check_within("channels", self.channels, 1..=65_536)?;
        check_within("size", self.size, 1..=15)?;
        check_within("stride", self.stride, 1..=15)?;
        if self.margin() < self.size {
            return Ok(());
        }
        Err(Unfit { key: "padding", found: self.margin(), expected: "less than size".into() })
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
}

/// A square window that moves over a board: its side, its step and the margin of zeros around the board, in squares.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) size: usize,
    pub(super) stride: usize,
    pub(super) margin: usize,
}

impl Window {
    /// The shape of the output for a board of this shape, with as many channels.
    pub(super) fn shape(self, input: Shape) -> Result<Shape, String> {
        let (ranks, files) = (self.positions(input.ranks)?, self.positions(input.files)?);
        Ok(Shape { channels: input.channels, ranks, files })
    }

    /// Number of positions along a side of this many squares.
    fn positions(self, length: usize) -> Result<usize, String> {
        let Self { size, stride, margin } = self;
        match (length + 2 * margin).checked_sub(size) {
            Some(past) => Ok(past / stride + 1),
            None => Err(format!("at least {} squares a side", size - 2 * margin)),
        }
    }
}

impl Operation for Convolution {
    fn describe(&self) -> String {
        let stride = if self.stride == 1 { String::new() } else { format!(", stride {}", self.stride) };
        let margin = if self.margin() == self.size / 2 {
            String::new()
        } else {
            format!(", padding {}", self.margin())
        };
        format!("convolution {0}x{0}{stride}{margin}", self.size)
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        Ok(Shape { channels: self.channels, ..self.window().shape(inputs[0])? })
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        let role = Role::Weight { gain: self.gain };
        let rows = self.size * self.size * inputs[0].channels;
        let mut parameters = vec![NewParameter { kind: "weight", role, rows, columns: self.channels }];
        if self.bias {
            parameters.push(NewParameter::row("bias", Role::Bias, self.channels));
        }
        parameters
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let (inputs, outputs, taps) = (export.shapes[0].channels, self.channels, self.size * self.size);
        // [taps][inputs][outputs] -> [outputs][inputs][taps]
        let ours = export.parameter(0);
        let mut weights = Vec::with_capacity(ours.len());
        for output in 0..outputs {
            for input in 0..inputs {
                weights.extend((0..taps).map(|tap| ours[(tap * inputs + input) * outputs + output]));
            }
        }
        let weights = export.constant("weight", &[outputs, inputs, self.size, self.size], weights);
        let mut values = vec![export.input(0), weights];
        if self.bias {
            let bias = export.parameter(1);
            values.push(export.constant("bias", &[outputs], bias));
        }
        let settings = vec![
            integers("kernel_shape", &[self.size as i64; 2]),
            integers("pads", &[self.margin() as i64; 4]),
            integers("strides", &[self.stride as i64; 2]),
        ];
        export.node("Conv", &values, settings)
    }

    fn operator(&self) -> Operator {
        let Self { size, stride, bias, .. } = *self;
        Operator::Convolution { size, stride, margin: self.margin(), bias }
    }
}
